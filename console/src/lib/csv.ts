import { formatTime } from './format.ts'

/** Spreadsheets do not detect UTF-8 without this UTF-8 byte order mark. */
export const BYTE_ORDER_MARK = '\uFEFF'

export type CsvCell = string | number

/** Spreadsheets treat cells with these first characters as formulas. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/
const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?$/

/** RFC 4180 lines. Text that a spreadsheet would run as a formula gets a leading apostrophe. */
export const csvOf = (lines: readonly (readonly CsvCell[])[]) =>
  lines.map((line) => `${line.map(encodeCell).join(',')}\r\n`).join('')

function encodeCell(cell: CsvCell): string {
  if (typeof cell === 'number') return Number.isFinite(cell) ? String(cell) : ''
  const isFormula = FORMULA.test(cell) && !PLAIN_NUMBER.test(cell)
  const text = isFormula ? `'${cell}` : cell
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A moment as a cell; empty for 0, which stands for "not yet". */
export const csvTime = (seconds: number) => (seconds === 0 ? '' : formatTime(seconds))
