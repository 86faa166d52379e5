import type { OptionValues } from '@tollgate/contract'
import {
  builtInPricesAt,
  listedPrice,
  type PriceRow,
  type TimedPrices,
} from '@tollgate/contract/prices'
import type { PricedOptions } from '../domain/find-price.ts'
import { mergePrice } from '../domain/price-feeds/merge-price.ts'
import type { FeedPriceRow } from '../store/price-feeds.ts'

/** A price that was applied from a feed. */
type AppliedPrice = {
  readonly model: string
  readonly row: PriceRow
  /** Names the row on receipts. */
  readonly version: string
}

export const readAppliedPrice = ({ model, feed, day, price }: FeedPriceRow): AppliedPrice => ({
  model,
  version: `feed:${feed} ${day}`,
  row: JSON.parse(price) as PriceRow, // safe because only checked rows are written
})

type Stored = { readonly values: OptionValues; readonly applied: readonly AppliedPrice[] }

/**
 * Adds the price list: the built-in prices of this moment, overridden by those that were applied
 * from feeds. The options' own ratios override both where a price is looked up. Until a price
 * changes by itself, a call compares two numbers.
 */
export function createPricing(current: () => Stored, now: () => number) {
  const price = (stored: Stored) => {
    const { prices, until } = priceListAt(now(), stored.applied)
    return { stored, values: { ...stored.values, prices }, until }
  }
  let priced = price(current())
  return (): PricedOptions => {
    const stored = current()
    if (stored !== priced.stored || now() >= priced.until) priced = price(stored)
    return priced.values
  }
}

export function priceListAt(now: number, applied: readonly AppliedPrice[]): TimedPrices {
  const { prices, until } = builtInPricesAt(now)
  const list = new Map(prices)
  for (const { model, row, version } of applied) {
    const base = prices.get(model)
    // A feed states the price of peak hours.
    const { model_ratio = 1, peak_ratio = model_ratio } = base ?? {}
    const factor = peak_ratio === 0 ? 1 : model_ratio / peak_ratio
    list.set(model, listedPrice(mergePrice(row, base), version, factor))
  }
  return { prices: list, until }
}
