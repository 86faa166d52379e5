const QUOTE = 0x22
const BACKSLASH = 0x5c
/** A member that says something, up to the quote that opens its text. */
const SPOKEN = /"(?:content|reasoning_content|reasoning|text|arguments)":"/g
/** A member with a value that must be read. Inside of JSON texts quotes are escaped, so none can pose as one. */
const TELLING = /"(?:usage|error|finish_reason)"\s*:\s*(?!null\b|"")/

/** The bytes of an event around the text it carries, which in one stream hardly ever change. */
export type EventShape = { readonly head: Buffer; readonly tail: Buffer }

/** Whether an event may carry usage, an error or a finish reason. */
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
  // A copy, so that the memory of the chunk is not held.
  return { head: Buffer.from(data.subarray(0, start)), tail: Buffer.from(data.subarray(end)) }
}

/** The text between head and tail, still escaped; null when the event is not of this shape. */
export function textInShape(data: Buffer, { head, tail }: EventShape): Buffer | null {
  const end = data.length - tail.length
  if (end < head.length || data.indexOf(QUOTE, head.length) !== end) return null
  if (data[end - 1] === BACKSLASH) return null
  if (data.compare(head, 0, head.length, 0, head.length) !== 0) return null
  return data.compare(tail, 0, tail.length, end) === 0 ? data.subarray(head.length, end) : null
}
