import { z } from 'zod'
import type { Language } from './app-error.ts'
import { type OptionKey, OPTIONS } from './options.ts'
import { parseIn, rule } from './problem.ts'
import { roundedRatio } from './units.ts'

/** Strings are sent unchanged, every other value as JSON. */
export const optionText = (value: unknown) =>
  typeof value === 'string' ? value : JSON.stringify(value)

/** Error for broken JSON in a table. Numbers and switches report their expected type instead. */
const brokenJson = z.unknown().refine(() => false, rule('must be valid JSON', '不是有效的 JSON'))

/** Upper bound of the names and values of a table: prices of over ten thousand models. */
const TABLE_MARKS_MAX = 50_000
const MARKS = new Set(Array.from(',:[{', (mark) => mark.charCodeAt(0)))
const tooLongTable = z
  .unknown()
  .refine(
    () => false,
    rule(
      `must have no more than ${TABLE_MARKS_MAX / 2} entries`,
      `不能超过 ${TABLE_MARKS_MAX / 2} 项`,
    ),
  )

/** Also counts marks inside names; no real table has that many. */
function isLongTable(text: string): boolean {
  let marks = 0
  for (let at = 0; at < text.length; at += 1) if (MARKS.has(text.charCodeAt(at))) marks += 1
  return marks > TABLE_MARKS_MAX
}

/** Parses the text form of an option. Table size is checked before JSON is parsed. */
export function parseOption(key: OptionKey, text: string, language: Language = 'en') {
  const { schema, default: fallback } = OPTIONS[key]
  if (typeof fallback === 'string') return parseIn<unknown>(schema, text, language)
  if (isLongTable(text)) return parseIn<unknown>(tooLongTable, text, language)
  try {
    return parseIn<unknown>(schema, text.trim() === '' ? null : JSON.parse(text), language)
  } catch {
    const isTable = typeof fallback === 'object'
    return parseIn<unknown>(isTable ? brokenJson : schema, text, language)
  }
}

const withRoundedNumbers = (_: string, value: unknown) =>
  typeof value === 'number' ? roundedRatio(value) : value

/** The text with ratios as charges use them, for texts of other gateways and earlier versions. */
export function withRoundedRatios(key: OptionKey, text: string): string {
  if (OPTIONS[key].section !== 'ratio') return text
  try {
    return JSON.stringify(JSON.parse(text, withRoundedNumbers))
  } catch {
    return text
  }
}
