import { type ModelPrice, type PriceRow, priceOf } from '@tollgate/contract/prices'

/**
 * The price of a feed's row. Ratios that the row does not state stay as they are in `base`, so that
 * a feed without cache prices does not make cached input as dear as other input.
 */
export function mergePrice(row: PriceRow, base: ModelPrice | undefined): ModelPrice {
  const price = priceOf(row)
  if (base === undefined) return price
  const { model_ratio, completion_ratio, cache_ratio, cache_write_ratio, ...stated } = price
  return {
    ...base,
    ...stated,
    model_ratio,
    completion_ratio,
    cache_ratio: row.cached === undefined ? base.cache_ratio : cache_ratio,
    cache_write_ratio: row.cache_write === undefined ? base.cache_write_ratio : cache_write_ratio,
  }
}
