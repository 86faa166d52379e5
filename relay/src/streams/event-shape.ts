const QUOTE = 0x22
const BACKSLASH = 0x5c
const SPACE = 0x20
const ZERO = 0x30
const NINE = 0x39
/** A call of Node's comparison costs as much as a loop over so many bytes. */
const LOOP_BYTES_MAX = 64
/** Longer numbers are not exact. */
const DIGITS_MAX = 15
/** A member with output text, up to the quote that opens the text. */
const TEXT_FIELD =
  /"(?:content|reasoning_content|reasoning|text|arguments|delta|partial_json|thinking)":"/g
/** A member whose value must be read. Text cannot imitate it: quotes inside strings are escaped. */
const SIGNIFICANT_FIELD = /"(?:usage|error|finish_reason|audio)"\s*:\s*(?!null\b|"")/

/**
 * Numbers of an event, and the quote before its padding. Responses numbers its events. Gemini
 * repeats its counts, of which these grow. OpenAI pads events with random letters, so that their
 * lengths do not reveal the text.
 */
const VARYING =
  /"(?:(sequence_number|(?:candidates|thoughts|total)TokenCount)":(\d{1,15})|obfuscation":")/g

/** An event whose like rarely differ but in gaps, line ends included. */
export type EventShape = {
  /** A copy, so that the chunk's memory is released. */
  readonly event: Buffer
  /** In their order. */
  readonly gaps: readonly Gap[]
  /** Where its text begins and ends. */
  readonly start: number
  readonly end: number
}

/** From the first byte that differs to the first that is the same again. */
export type Gap = {
  readonly kind: 'text' | 'padding' | 'number'
  readonly from: number
  readonly to: number
  /** The member with the number. */
  readonly name?: string
}

/** Null for an event without text, or with usage, an error, a finish reason or audio. */
export function shapeOf(event: Buffer): EventShape | null {
  const text = event.toString('latin1')
  if (SIGNIFICANT_FIELD.test(text)) return null
  TEXT_FIELD.lastIndex = Math.max(text.indexOf('"delta"'), 0)
  if (!TEXT_FIELD.test(text)) return null
  const start = TEXT_FIELD.lastIndex
  const end = endOfText(event, start)
  if (end === -1) return null
  const others: Gap[] = []
  VARYING.lastIndex = 0
  for (let found = VARYING.exec(text); found !== null; found = VARYING.exec(text)) {
    const { 1: name, 2: digits = '' } = found
    const { lastIndex: at } = VARYING
    if (name !== undefined) others.push({ kind: 'number', from: at - digits.length, to: at, name })
    else {
      const to = text.indexOf('"', at)
      // A comment may open what nothing closes.
      if (to !== -1) others.push({ kind: 'padding', from: at, to })
    }
  }
  const before = others.filter(({ from }) => from < start)
  const after = others.filter(({ from }) => from > end)
  const gaps: Gap[] = [...before, { kind: 'text', from: start, to: end }, ...after]
  return { event: Buffer.from(event), gaps, start, end }
}

/** Where the text of an event begins and ends. `numbers` begins with those of the event. */
export type TextRange = { start: number; end: number; numbers?: number[] }

/**
 * Whether an event has the shape, and is valid JSON. Fills in where its text is, still escaped: a
 * view would be a fifth of an event's allocations.
 */
export function findText(event: Buffer, { event: known, gaps }: EventShape, range: TextRange) {
  let [at, from, count] = [0, 0, 0]
  for (const gap of gaps) {
    if (!matchesAt(event, at, known, from, gap.from)) return false
    const start = at + gap.from - from
    from = gap.to
    at = gap.kind === 'number' ? endOfNumber(event, start) : endOfText(event, start)
    if (at === -1) return false
    if (gap.kind === 'text') {
      range.start = start
      range.end = at
    } else if (gap.kind === 'number' && range.numbers !== undefined) {
      range.numbers[count] = numberIn(event, start, at)
      count += 1
    }
  }
  const isWhole = event.length - at === known.length - from
  return isWhole && matchesAt(event, at, known, from, known.length)
}

/** The quote that ends a text; -1 for none, and for a text that JSON does not allow. */
function endOfText(event: Buffer, start: number): number {
  let hasEscapes = false
  for (let at = start; at < event.length; at += 1) {
    const byte = event[at] ?? 0
    if (byte === QUOTE) return !hasEscapes || isEscapedText(event, start, at) ? at : -1
    if (byte < SPACE) return -1
    if (byte !== BACKSLASH) continue
    hasEscapes = true
    at += 1
  }
  return -1
}

const ESCAPED = /^(?:[^\\]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*$/

const isEscapedText = (event: Buffer, start: number, end: number): boolean =>
  ESCAPED.test(event.toString('latin1', start, end))

/** Where a number ends; -1 for none that JSON allows, or that is too long. */
function endOfNumber(event: Buffer, start: number): number {
  let end = start
  while (isDigit(event[end])) end += 1
  const isPlain = end - start === 1 || (end > start && event[start] !== ZERO)
  return isPlain && end <= start + DIGITS_MAX ? end : -1
}

export function numberIn(event: Buffer, start: number, end: number): number {
  let number = 0
  for (let at = start; at < end; at += 1) number = number * 10 + (event[at] ?? 0) - ZERO
  return number
}

const isDigit = (byte = 0) => byte >= ZERO && byte <= NINE

/** Whether the bytes at `at` are those of `known` from `from` to `to`. */
function matchesAt(event: Buffer, at: number, known: Buffer, from: number, to: number): boolean {
  const length = to - from
  if (event.length < at + length) return false
  if (length > LOOP_BYTES_MAX) return event.compare(known, from, to, at, at + length) === 0
  let same = 0
  while (same < length && event[at + same] === known[from + same]) same += 1
  return same === length
}
