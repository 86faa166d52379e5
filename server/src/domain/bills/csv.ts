/*
 * CSV as RFC 4180 describes it, in pieces of any size. A record may contain line breaks inside
 * quotes, so a piece ends at the last line break outside quotes; the rest belongs to the next one.
 */

export const DELIMITERS = [',', ';', '\t'] as const

export type Delimiter = (typeof DELIMITERS)[number]

const QUOTE = '"'

/** Splits text into complete records and the unfinished rest. */
export function splitAtLastRecord(text: string): { records: string; rest: string } {
  let end = 0
  let isQuoted = false
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index]
    // An escaped quote is two quotes, which leave the state as it was.
    if (character === QUOTE) isQuoted = !isQuoted
    else if (character === '\n' && !isQuoted) end = index + 1
  }
  return { records: text.slice(0, end), rest: text.slice(end) }
}

/** Whether the text ends inside quotes. */
export const hasOpenQuote = (text: string) => text.split(QUOTE).length % 2 === 0

export type CsvRecord = {
  /** Counted from 1 at the start of the text. */
  readonly line: number
  readonly fields: readonly string[]
}

/** The records of a text, without empty lines. The last record may lack its line break. */
export function* readRecords(text: string, delimiter: Delimiter): Generator<CsvRecord> {
  const state = { text, delimiter, index: 0, line: 1 }
  while (state.index < text.length) {
    const { line } = state
    const fields = readRecord(state)
    if (fields.length > 1 || fields[0] !== '') yield { line, fields }
  }
}

type State = { readonly text: string; readonly delimiter: Delimiter; index: number; line: number }

function readRecord(state: State): string[] {
  const { text } = state
  const fields: string[] = []
  while (true) {
    fields.push(text[state.index] === QUOTE ? readQuoted(state) : readPlain(state))
    const after = text[state.index]
    if (after === state.delimiter) {
      state.index += 1
      continue
    }
    if (after === '\r' && text[state.index + 1] === '\n') state.index += 1
    state.index += 1
    state.line += 1
    return fields
  }
}

function readPlain(state: State): string {
  const { text, delimiter, index } = state
  let end = index
  while (end < text.length && text[end] !== delimiter && text[end] !== '\n') end += 1
  const isBeforeLineFeed = text[end] === '\n' && text[end - 1] === '\r' && end > index
  state.index = isBeforeLineFeed ? end - 1 : end
  return text.slice(index, state.index).trim()
}

function readQuoted(state: State): string {
  const { text } = state
  let value = ''
  let from = state.index + 1
  while (true) {
    const quote = text.indexOf(QUOTE, from)
    const piece = text.slice(from, quote === -1 ? text.length : quote)
    value += piece
    state.line += piece.split('\n').length - 1
    if (quote === -1) {
      state.index = text.length
      return value.trim()
    }
    if (text[quote + 1] !== QUOTE) {
      state.index = quote + 1
      // Text between the closing quote and the delimiter belongs to no field form; it is kept.
      return `${value}${readPlain(state)}`.trim()
    }
    value += QUOTE
    from = quote + 2
  }
}

/** The delimiter that splits the header into the most fields. */
export function delimiterOf(header: string): Delimiter {
  const counts = DELIMITERS.map((delimiter) => header.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}
