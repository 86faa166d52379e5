import { z } from 'zod'
import type { Language } from './app-error.ts'
import { type OptionKey, OPTIONS } from './options.ts'
import { parseIn, rule } from './problem.ts'

export const isOptionKey = (key: string): key is OptionKey => Object.hasOwn(OPTIONS, key)

/** Strings travel as they are, everything else as JSON. */
export const optionText = (value: unknown) =>
  typeof value === 'string' ? value : JSON.stringify(value)

/** Of what a table is written in; a number or a switch is told what it must be instead. */
const brokenJson = z.unknown().refine(() => false, rule('must be valid JSON', '不是有效的 JSON'))

/** Names and values of one table: prices of more than ten thousand models. */
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

/** Also marks inside of names count: no table has so many of them. */
function isLongTable(text: string): boolean {
  let marks = 0
  for (let at = 0; at < text.length; at += 1) if (MARKS.has(text.charCodeAt(at))) marks += 1
  return marks > TABLE_MARKS_MAX
}

/** The value an option's text stands for, or what is wrong with it. */
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
