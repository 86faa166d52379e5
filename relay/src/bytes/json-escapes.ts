const BACKSLASH = 0x5c
/** Bytes of an escape such as `\ud83d`. */
const ESCAPE = 6
const LOWER = Buffer.from(String.raw`\ud`)
const UPPER = Buffer.from(String.raw`\uD`)
const FIRST_HIGH = 0xd800
const FIRST_LOW = 0xdc00
const REPLACEMENT = 'fffd'

/**
 * JSON text in which U+FFFD stands for each half of a surrogate pair: an agent that cuts a text may
 * cut an emoji, and some vendors refuse the whole request (anthropics/claude-code#5934). The same
 * buffer if it has none.
 */
export function withPairedSurrogates(json: Buffer): Buffer {
  let paired: Buffer | null = null
  for (const at of loneSurrogates(json)) {
    paired ??= Buffer.from(json)
    paired.write(REPLACEMENT, at + ESCAPE - REPLACEMENT.length, 'latin1')
  }
  return paired ?? json
}

function* loneSurrogates(json: Buffer): Generator<number> {
  let paired = -1
  for (const at of surrogateEscapes(json)) {
    if (at === paired) continue
    const isHigh = codeAt(json, at) < FIRST_LOW
    const next = at + ESCAPE
    const hasLow = isHigh && json[next] === BACKSLASH && codeAt(json, next) >= FIRST_LOW
    if (hasLow) paired = next
    else yield at
  }
}

/** Places of escapes from U+D800 to U+DFFF, in order. */
function* surrogateEscapes(json: Buffer): Generator<number> {
  let lower = json.indexOf(LOWER)
  let upper = json.indexOf(UPPER)
  while (lower >= 0 || upper >= 0) {
    const isLower = upper < 0 || (lower >= 0 && lower < upper)
    const at = isLower ? lower : upper
    if (isEscape(json, at) && codeAt(json, at) >= FIRST_HIGH) yield at
    if (isLower) lower = json.indexOf(LOWER, at + 1)
    else upper = json.indexOf(UPPER, at + 1)
  }
}

/** The backslash is not itself escaped. */
function isEscape(json: Buffer, at: number): boolean {
  let before = at
  while (json[before - 1] === BACKSLASH) before -= 1
  return (at - before) % 2 === 0
}

/** NaN if this is no escape of a code. */
const codeAt = (json: Buffer, at: number) =>
  Number(`0x${json.toString('latin1', at + 2, at + ESCAPE)}`)
