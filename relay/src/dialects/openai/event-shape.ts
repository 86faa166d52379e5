const QUOTE = 0x22
const BACKSLASH = 0x5c
const SPACE = 0x20
/** A member that says something, up to the quote that opens its text. */
const SPOKEN = /"(?:content|reasoning_content|reasoning|text|arguments)":"/g
/** A member with a value that must be read. Inside of JSON texts quotes are escaped, so none can pose as one. */
const TELLING = /"(?:usage|usage_so_far|error|finish_reason|audio)"\s*:\s*(?!null\b|"")/

/** What OpenAI fills events up with, so that their lengths tell nothing of the text: other letters each time. */
const PADDING = Buffer.from('"obfuscation":"')

/** The bytes of an event around the text it carries, line ends and all, which in one stream hardly ever change. */
export type EventShape = {
  readonly head: Buffer
  /** After the text; where the event is padded, up to the quote that opens the padding. */
  readonly tail: Buffer
  /** After the padding; null where there is none. */
  readonly rest: Buffer | null
}

/** Null where there is no text to split the event at, or usage, an error, a finish reason or speech beside it. */
export function shapeOf(event: Buffer): EventShape | null {
  const text = event.toString('latin1')
  if (TELLING.test(text)) return null
  SPOKEN.lastIndex = Math.max(text.indexOf('"delta"'), 0)
  if (!SPOKEN.test(text)) return null
  const start = SPOKEN.lastIndex
  let end = event.indexOf(QUOTE, start)
  while (end > start && event[end - 1] === BACKSLASH) end = event.indexOf(QUOTE, end + 1)
  if (end === -1) return null
  const padding = event.indexOf(PADDING, end)
  const afterPadding = padding === -1 ? -1 : event.indexOf(QUOTE, padding + PADDING.length)
  const isPadded = afterPadding !== -1
  // Copies, so that the memory of the chunk is not held.
  return {
    head: Buffer.from(event.subarray(0, start)),
    tail: Buffer.from(event.subarray(end, isPadded ? padding + PADDING.length : event.length)),
    rest: isPadded ? Buffer.from(event.subarray(afterPadding)) : null,
  }
}

/** The text between head and tail, still escaped; null when the event is not of this shape, or no JSON. */
export function textInShape(event: Buffer, { head, tail, rest }: EventShape): Buffer | null {
  const start = head.length
  const end = event.indexOf(QUOTE, start)
  if (end === -1 || event[end - 1] === BACKSLASH) return null
  if (!hasAt(event, head, 0) || !hasAt(event, tail, end)) return null
  const behind = end + tail.length
  const isWhole = rest === null ? behind === event.length : isPadding(event, behind, rest)
  return isWhole && isJsonText(event, start, end) ? event.subarray(start, end) : null
}

/** The event as it would be with an empty text. */
export const withoutText = (event: Buffer, { head }: EventShape, text: Buffer): Buffer =>
  Buffer.concat([head, event.subarray(head.length + text.length)])

function isPadding(event: Buffer, start: number, rest: Buffer): boolean {
  const end = event.indexOf(QUOTE, start)
  const isLast = end + rest.length === event.length && event[end - 1] !== BACKSLASH
  return isLast && hasAt(event, rest, end) && isJsonText(event, start, end)
}

const hasAt = (event: Buffer, part: Buffer, at: number) =>
  event.length >= at + part.length &&
  event.compare(part, 0, part.length, at, at + part.length) === 0

/** What JSON has within the quotes of a text. */
const ESCAPED = /^(?:[^\\]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*$/

function isJsonText(event: Buffer, start: number, end: number): boolean {
  let hasEscapes = false
  for (let at = start; at < end; at += 1) {
    const byte = event[at] ?? 0
    if (byte < SPACE) return false
    hasEscapes ||= byte === BACKSLASH
  }
  return !hasEscapes || ESCAPED.test(event.toString('latin1', start, end))
}
