const QUOTE = 0x22
const BACKSLASH = 0x5c
const SPACE = 0x20
/** A member that says something, up to the quote that opens its text. */
const SPOKEN = /"(?:content|reasoning_content|reasoning|text|arguments)":"/g
/** A member with a value that must be read. Inside of JSON texts quotes are escaped, so none can pose as one. */
const TELLING = /"(?:usage|usage_so_far|error|finish_reason|audio)"\s*:\s*(?!null\b|"")/

/** What OpenAI fills events up with, so that their lengths tell nothing of the text: other letters each time. */
const PADDING = Buffer.from('"obfuscation":"')

/** The bytes of an event around the text it carries, which in one stream hardly ever change. */
export type EventShape = {
  readonly head: Buffer
  /** After the text; where the event is padded, up to the quote that opens the padding. */
  readonly tail: Buffer
  /** After the padding; null where there is none. */
  readonly rest: Buffer | null
}

/** Whether an event may carry usage, an error, a finish reason or speech. */
export function isTelling(data: Buffer): boolean {
  return TELLING.test(data.toString('latin1'))
}

/** Another text behind the first, which events of the same bytes would repeat uncounted. */
const SPOKEN_TOO = /"(?:content|reasoning_content|reasoning|text|arguments)"\s*:\s*"[^"]/

/** Null when there is no text in the event to split it at, or more than one. */
export function shapeOf(data: Buffer): EventShape | null {
  const text = data.toString('latin1')
  SPOKEN.lastIndex = Math.max(text.indexOf('"delta"'), 0)
  if (!SPOKEN.test(text)) return null
  const start = SPOKEN.lastIndex
  let end = data.indexOf(QUOTE, start)
  while (end > start && data[end - 1] === BACKSLASH) end = data.indexOf(QUOTE, end + 1)
  if (end === -1 || SPOKEN_TOO.test(text.slice(end))) return null
  const padding = data.indexOf(PADDING, end)
  const afterPadding = padding === -1 ? -1 : data.indexOf(QUOTE, padding + PADDING.length)
  const isPadded = afterPadding !== -1
  // Copies, so that the memory of the chunk is not held.
  return {
    head: Buffer.from(data.subarray(0, start)),
    tail: Buffer.from(data.subarray(end, isPadded ? padding + PADDING.length : data.length)),
    rest: isPadded ? Buffer.from(data.subarray(afterPadding)) : null,
  }
}

/** The text between head and tail, still escaped; null when the event is not of this shape, or no JSON. */
export function textInShape(data: Buffer, shape: EventShape): Buffer | null {
  const text = betweenOf(data, shape)
  return text !== null && isJsonText(text) ? text : null
}

/** What JSON has within the quotes of a text. */
const ESCAPED = /^(?:[^\\]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*$/

function isJsonText(text: Buffer): boolean {
  let hasEscapes = false
  for (const byte of text) {
    if (byte < SPACE) return false
    hasEscapes ||= byte === BACKSLASH
  }
  return !hasEscapes || ESCAPED.test(text.toString('latin1'))
}

function betweenOf(data: Buffer, { head, tail, rest }: EventShape): Buffer | null {
  const end = data.indexOf(QUOTE, head.length)
  if (end === -1 || data[end - 1] === BACKSLASH) return null
  if (!hasAt(data, head, 0) || !hasAt(data, tail, end)) return null
  const behind = end + tail.length
  if (rest === null) return behind === data.length ? data.subarray(head.length, end) : null
  const restAt = data.indexOf(QUOTE, behind)
  if (restAt + rest.length !== data.length || data[restAt - 1] === BACKSLASH) return null
  return hasAt(data, rest, restAt) ? data.subarray(head.length, end) : null
}

const hasAt = (data: Buffer, part: Buffer, at: number) =>
  data.length >= at + part.length && data.compare(part, 0, part.length, at, at + part.length) === 0
