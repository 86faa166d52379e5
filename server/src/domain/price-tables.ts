import type { ListedPrice, ModelPrice, PriceList } from '@tollgate/contract/prices'

type Ratios = Readonly<Record<string, number>>

const FIELDS = {
  ModelRatio: 'model_ratio',
  CompletionRatio: 'completion_ratio',
  CacheRatio: 'cache_ratio',
  CacheWriteRatio: 'cache_write_ratio',
  AudioRatio: 'audio_ratio',
  AudioCompletionRatio: 'audio_completion_ratio',
  ImageRatio: 'image_ratio',
} as const satisfies Record<string, keyof ModelPrice>

export type PriceTable = keyof typeof FIELDS

export const isPriceTable = (key: string): key is PriceTable => Object.hasOwn(FIELDS, key)

/** The hour must not show, because clients write back the tables that they have read. */
const ratioIn = (table: PriceTable, price: ListedPrice) =>
  table === 'ModelRatio' ? (price.peak_ratio ?? price.model_ratio) : price[FIELDS[table]]

/** The ratios that apply: those of the price list, overridden by the operator's own. */
export function effectiveRatios(table: PriceTable, own: Ratios, prices: PriceList): Ratios {
  const listed = [...prices].flatMap(([model, price]) => {
    const ratio = ratioIn(table, price)
    return ratio === undefined ? [] : [[model, ratio] as const]
  })
  return { ...Object.fromEntries(listed), ...own }
}

/** The part of a whole table that has to be stored: everything that differs from the price list. */
export function ownRatios(table: PriceTable, ratios: Ratios, prices: PriceList): Ratios {
  return Object.fromEntries(
    Object.entries(ratios).filter(([model, ratio]) => {
      const price = prices.get(model)
      return price === undefined || ratioIn(table, price) !== ratio
    }),
  )
}
