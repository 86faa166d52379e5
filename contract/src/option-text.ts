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

/** The value an option's text stands for, or what is wrong with it. */
export function parseOption(key: OptionKey, text: string, language: Language = 'en') {
  const { schema, default: fallback } = OPTIONS[key]
  if (typeof fallback === 'string') return parseIn<unknown>(schema, text, language)
  try {
    return parseIn<unknown>(schema, text.trim() === '' ? null : JSON.parse(text), language)
  } catch {
    const isTable = typeof fallback === 'object'
    return parseIn<unknown>(isTable ? brokenJson : schema, text, language)
  }
}
