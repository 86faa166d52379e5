import { type InBoth, type Language, type OptionKey, OPTIONS, optionText } from '@tollgate/contract'
import type { PricedOptions } from '../domain/find-price.ts'
import { effectiveRatios, isPriceTable } from '../domain/price-tables.ts'

export const titleOf = (key: OptionKey, language: Language) =>
  `${OPTIONS[key].label[language]} (${key})`

export const titlesOf = (keys: readonly OptionKey[]): InBoth => ({
  en: keys.map((key) => titleOf(key, 'en')).join(', '),
  zh: keys.map((key) => titleOf(key, 'zh')).join('、'),
})

const MASK = '••••'

/**
 * The value as shown to readers: a secret is masked, and a price table includes the price
 * list.
 */
export function shownText(key: OptionKey, values: PricedOptions): string {
  const value = values[key]
  if (OPTIONS[key].secret) return value === '' ? '' : MASK
  return optionText(isPriceTable(key) ? effectiveRatios(key, values[key], values.prices) : value)
}

/**
 * A value as the history and the log show it: `https://host/••••` for an address that may have a
 * token. Masks what is already masked to the same text.
 */
export function recordedText(key: OptionKey, text: string): string {
  if (!OPTIONS[key].tokenInPath || !URL.canParse(text)) return text
  const { origin, href } = new URL(text)
  return href === `${origin}/` ? text : `${origin}/${MASK}`
}

/**
 * Both sides of a change; for a price table, only the models that changed. Null if nothing changed.
 * A secret always counts as changed, to record who entered it last.
 */
export function shownChange(key: OptionKey, before: PricedOptions, after: PricedOptions) {
  if (!OPTIONS[key].secret && optionText(before[key]) === optionText(after[key])) return null
  if (!isPriceTable(key)) {
    const text = (values: PricedOptions) => recordedText(key, shownText(key, values))
    return { before: text(before), after: text(after) }
  }
  const oldRatios = effectiveRatios(key, before[key], before.prices)
  const newRatios = effectiveRatios(key, after[key], after.prices)
  const differing = [...new Set([...Object.keys(oldRatios), ...Object.keys(newRatios)])].filter(
    (model) => oldRatios[model] !== newRatios[model],
  )
  const only = (table: Readonly<Record<string, number>>) =>
    JSON.stringify(
      Object.fromEntries(
        differing.flatMap((model) => (Object.hasOwn(table, model) ? [[model, table[model]]] : [])),
      ),
    )
  return differing.length === 0 ? null : { before: only(oldRatios), after: only(newRatios) }
}
