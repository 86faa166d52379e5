import type { Language } from './errors.ts'
import { type OptionKey, OPTIONS } from './options.ts'
import { parseIn } from './problem.ts'

export const isOptionKey = (key: string): key is OptionKey => Object.hasOwn(OPTIONS, key)

/** Strings travel as they are, everything else as JSON. */
export const optionText = (value: unknown) =>
  typeof value === 'string' ? value : JSON.stringify(value)

/** The value an option's text stands for, or what is wrong with it. */
export function parseOption(key: OptionKey, text: string, language: Language = 'en') {
  const { schema, default: fallback } = OPTIONS[key]
  if (typeof fallback === 'string') return parseIn<unknown>(schema, text, language)
  try {
    return parseIn<unknown>(schema, text.trim() === '' ? null : JSON.parse(text), language)
  } catch {
    return parseIn<unknown>(schema, text, language)
  }
}
