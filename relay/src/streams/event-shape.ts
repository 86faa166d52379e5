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

/** Random letters with which OpenAI pads events, so that their lengths do not reveal the text. */
const PADDING = Buffer.from('"obfuscation":"')

/** Responses numbers its events. Gemini repeats its counts, of which these grow. */
const NUMBER = /(?<="(sequence_number|(?:candidates|thoughts|total)TokenCount)":)\d{1,15}/g

/** The bytes of an event around its text, line ends included. They rarely change in a stream. */
export type EventShape = {
  readonly head: Part
  /** After the text; in padded events up to the quote that opens the padding. */
  readonly tail: Part
  /** After the padding; null for events without padding. */
  readonly rest: Buffer | null
  /** The members whose numbers differ, in their order. */
  readonly numbers: readonly string[]
}

/** The bytes before, between and after numbers, of which the event has `firstNumber` before. */
type Part = { readonly pieces: readonly Buffer[]; readonly firstNumber: number }

/** Null for an event without text, or with usage, an error, a finish reason or audio. */
export function shapeOf(event: Buffer): EventShape | null {
  const text = event.toString('latin1')
  if (SIGNIFICANT_FIELD.test(text)) return null
  TEXT_FIELD.lastIndex = Math.max(text.indexOf('"delta"'), 0)
  if (!TEXT_FIELD.test(text)) return null
  const start = TEXT_FIELD.lastIndex
  const end = endOfText(event, start)
  if (end === -1) return null
  const padding = event.indexOf(PADDING, end)
  const afterPadding = padding === -1 ? -1 : event.indexOf(QUOTE, padding + PADDING.length)
  const isPadded = afterPadding !== -1
  const numbers: string[] = []
  return {
    head: partOf(event.subarray(0, start), numbers),
    tail: partOf(event.subarray(end, isPadded ? padding + PADDING.length : event.length), numbers),
    rest: isPadded ? Buffer.from(event.subarray(afterPadding)) : null,
    numbers,
  }
}

// Copies, so that the chunk's memory is released.
function partOf(bytes: Buffer, numbers: string[]): Part {
  const pieces: Buffer[] = []
  const firstNumber = numbers.length
  let from = 0
  const text = bytes.toString('latin1')
  NUMBER.lastIndex = 0
  for (let found = NUMBER.exec(text); found !== null; found = NUMBER.exec(text)) {
    const { index, 0: digits, 1: name = '' } = found
    pieces.push(Buffer.from(bytes.subarray(from, index)))
    from = index + digits.length
    numbers.push(name)
  }
  return { pieces: [...pieces, Buffer.from(bytes.subarray(from))], firstNumber }
}

/** Where the text of an event begins and ends. `numbers` begins with those of the event. */
export type TextRange = { start: number; end: number; numbers?: number[] }

/** The text between head and tail, still escaped. Null for another shape and for invalid JSON. */
export function textInShape(event: Buffer, shape: EventShape): Buffer | null {
  const range = { start: 0, end: 0 }
  return findText(event, shape, range) ? event.subarray(range.start, range.end) : null
}

/** As `textInShape`, but fills in `range`: a view would be a fifth of an event's allocations. */
export function findText(event: Buffer, { head, tail, rest }: EventShape, range: TextRange) {
  const { numbers } = range
  const start = endOfPart(event, head, 0, numbers)
  if (start === -1) return false
  const end = endOfText(event, start)
  if (end === -1) return false
  const afterTail = endOfPart(event, tail, end, numbers)
  if (afterTail === -1) return false
  const isWhole = rest === null ? afterTail === event.length : isPadding(event, afterTail, rest)
  if (!isWhole) return false
  range.start = start
  range.end = end
  return true
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

/** Where a part of an event ends; -1 for other bytes. */
function endOfPart(event: Buffer, part: Part, at: number, numbers?: number[]): number {
  const { pieces, firstNumber } = part
  let end = at
  for (let index = 0; index < pieces.length; index += 1) {
    if (index > 0) {
      const start = end
      let number = 0
      while (isDigit(event[end])) {
        number = number * 10 + (event[end] ?? 0) - ZERO
        end += 1
      }
      const isPlain = end - start === 1 || (end > start && event[start] !== ZERO)
      if (!isPlain || end > start + DIGITS_MAX) return -1
      if (numbers !== undefined) numbers[firstNumber + index - 1] = number
    }
    const piece = pieces[index]
    if (piece === undefined || !matchesAt(event, piece, end)) return -1
    end += piece.length
  }
  return end
}

const isDigit = (byte = 0) => byte >= ZERO && byte <= NINE

/** The event with another text, still escaped, in place of `text`, which is a part of it. */
export function withText(event: Buffer, text: Buffer, other: string): Buffer {
  const start = text.byteOffset - event.byteOffset
  const [before, after] = [event.subarray(0, start), event.subarray(start + text.length)]
  return Buffer.concat([before, Buffer.from(other), after])
}

function isPadding(event: Buffer, start: number, rest: Buffer): boolean {
  const end = endOfText(event, start)
  return end !== -1 && end + rest.length === event.length && matchesAt(event, rest, end)
}

function matchesAt(event: Buffer, part: Buffer, at: number): boolean {
  const { length } = part
  if (event.length < at + length) return false
  if (length > LOOP_BYTES_MAX) return event.compare(part, 0, length, at, at + length) === 0
  let same = 0
  while (same < length && event[at + same] === part[same]) same += 1
  return same === length
}
