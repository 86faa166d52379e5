import type { Language } from '@tollgate/contract'
import { formatNumber } from '../lib/format.ts'
import type { TextKey } from './types.ts'

export type Texts = { [key: string]: string | Texts }

type Values = Readonly<Record<string, string | number | null | undefined>>

/**
 * The text of a key. `count` chooses between the forms `_one` and `_other` of the language, and is
 * shown with thousands separators.
 */
export type Translate = (key: TextKey, values?: Values) => string

const SOURCE = 'en'

const texts: Record<Language, Texts> = { en: {}, zh: {} }
const plurals = { en: new Intl.PluralRules('en'), zh: new Intl.PluralRules('zh') }
const listeners = new Set<() => void>()
let current: Language = SOURCE

export const currentLanguage = () => current

/** Names without "and": Chinese separates the items of a list by a comma of their own. */
export const joinNames = (names: readonly string[]) => names.join(current === 'zh' ? '、' : ', ')

export function showLanguage(language: Language) {
  if (language === current) return
  current = language
  for (const listener of listeners) listener()
}

export function onLanguage(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Adds texts under a name. Page texts are added when the page loads. */
export function addTexts(name: string, added: { en: object; zh: object }) {
  for (const language of ['en', 'zh'] as const) {
    // Safe because message files are typed as texts within texts.
    texts[language][name] = added[language] as Texts
  }
}

function find(language: Language, key: string): string | undefined {
  let found: string | Texts | undefined = texts[language]
  for (const part of key.split('.')) {
    if (typeof found !== 'object') return undefined
    found = found[part]
  }
  return typeof found === 'string' ? found : undefined
}

function lookUp(language: Language, key: string, { count }: Values): string | undefined {
  const form = typeof count === 'number' ? `${key}_${plurals[language].select(count)}` : key
  return find(language, form) ?? find(language, key)
}

const fill = (text: string, values: Values) =>
  text
    .replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
      const value = values[name] ?? ''
      // Other numbers, such as ids, have no separators.
      return name === 'count' && typeof value === 'number' ? formatNumber(value) : String(value)
    })
    // A line does not end between a number and its percent sign.
    .replace(/(?<=\d) %/g, '\u00A0%')

const inLanguage =
  (language: Language): Translate =>
  (key, values = {}) => {
    const text = lookUp(language, key, values) ?? lookUp(SOURCE, key, values)
    return text === undefined ? key : fill(text, values)
  }

/** The texts of one language. Each function stays the same, so that components can depend on it. */
export const TRANSLATE = { en: inLanguage('en'), zh: inLanguage('zh') } as const

/** A text in the current language, for code outside of components. */
export const t: Translate = (key, values) => TRANSLATE[current](key, values)
