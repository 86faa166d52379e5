const QUOTE = 0x22
const BACKSLASH = 0x5c
const SPACE = 0x20
/** A member with output text, up to the quote that opens the text. */
const TEXT_FIELD = /"(?:content|reasoning_content|reasoning|text|arguments)":"/g
/** A member whose value must be read. Text cannot imitate it: quotes inside strings are escaped. */
const SIGNIFICANT_FIELD = /"(?:usage|usage_so_far|error|finish_reason|audio)"\s*:\s*(?!null\b|"")/

/** Random letters with which OpenAI pads events, so that their lengths do not reveal the text. */
const PADDING = Buffer.from('"obfuscation":"')

/** The bytes of an event around its text, line ends included. They rarely change in a stream. */
export type EventShape = {
  readonly head: Buffer
  /** After the text; in padded events up to the quote that opens the padding. */
  readonly tail: Buffer
  /** After the padding; null for events without padding. */
  readonly rest: Buffer | null
}

/** Null for an event without text, or with usage, an error, a finish reason or audio. */
export function shapeOf(event: Buffer): EventShape | null {
  const text = event.toString('latin1')
  if (SIGNIFICANT_FIELD.test(text)) return null
  TEXT_FIELD.lastIndex = Math.max(text.indexOf('"delta"'), 0)
  if (!TEXT_FIELD.test(text)) return null
  const start = TEXT_FIELD.lastIndex
  let end = event.indexOf(QUOTE, start)
  while (end > start && event[end - 1] === BACKSLASH) end = event.indexOf(QUOTE, end + 1)
  if (end === -1) return null
  const padding = event.indexOf(PADDING, end)
  const afterPadding = padding === -1 ? -1 : event.indexOf(QUOTE, padding + PADDING.length)
  const isPadded = afterPadding !== -1
  // Copies, so that the chunk's memory is released.
  return {
    head: Buffer.from(event.subarray(0, start)),
    tail: Buffer.from(event.subarray(end, isPadded ? padding + PADDING.length : event.length)),
    rest: isPadded ? Buffer.from(event.subarray(afterPadding)) : null,
  }
}

/** The text between head and tail, still escaped. Null for another shape and for invalid JSON. */
export function textInShape(event: Buffer, { head, tail, rest }: EventShape): Buffer | null {
  const start = head.length
  const end = event.indexOf(QUOTE, start)
  if (end === -1 || event[end - 1] === BACKSLASH) return null
  if (!matchesAt(event, head, 0) || !matchesAt(event, tail, end)) return null
  const afterTail = end + tail.length
  const isWhole = rest === null ? afterTail === event.length : isPadding(event, afterTail, rest)
  return isWhole && isJsonText(event, start, end) ? event.subarray(start, end) : null
}

export const withoutText = (event: Buffer, { head }: EventShape, text: Buffer): Buffer =>
  Buffer.concat([head, event.subarray(head.length + text.length)])

function isPadding(event: Buffer, start: number, rest: Buffer): boolean {
  const end = event.indexOf(QUOTE, start)
  const isLast = end + rest.length === event.length && event[end - 1] !== BACKSLASH
  return isLast && matchesAt(event, rest, end) && isJsonText(event, start, end)
}

const matchesAt = (event: Buffer, part: Buffer, at: number) =>
  event.length >= at + part.length &&
  event.compare(part, 0, part.length, at, at + part.length) === 0

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
