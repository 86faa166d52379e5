import { defaultPrices, type ModelPrice } from '@tollgate/contract/prices'

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

type RatioField = (typeof FIELDS)[PriceTable]

const ratiosOf = (field: RatioField): Ratios =>
  Object.fromEntries(
    Object.entries(defaultPrices).flatMap(([model, price]) => {
      const ratio = price[field]
      return ratio === undefined ? [] : [[model, ratio] as const]
    }),
  )

/** Computed once, because every option change reads all tables. */
const builtIn = new Map<string, Ratios>(
  Object.entries(FIELDS).map(([table, field]) => [table, ratiosOf(field)]),
)

/** The ratios that apply: the built-in ratios, overridden by the operator's own. */
export const effectiveRatios = (table: PriceTable, own: Ratios): Ratios => ({
  ...builtIn.get(table),
  ...own,
})

/**
 * The part of a whole table that has to be stored: everything that differs from the built-in table.
 */
export function ownRatios(table: PriceTable, ratios: Ratios): Ratios {
  const known = new Map(Object.entries(builtIn.get(table) ?? {}))
  return Object.fromEntries(
    Object.entries(ratios).filter(([model, ratio]) => known.get(model) !== ratio),
  )
}
