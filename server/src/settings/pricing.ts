import type { OptionValues, OwnPrice } from '@tollgate/contract'
import {
  builtInPricesAt,
  listedPrice,
  type PriceRow,
  type TimedPrices,
} from '@tollgate/contract/prices'
import type { PricedOptions } from '../domain/find-price.ts'
import { tablesWith } from '../domain/own-price.ts'
import { mergePrice } from '../domain/price-feeds/merge-price.ts'
import type { FeedPriceRow } from '../store/price-feeds.ts'
import type { PlannedPricesTable } from '../store/price-schema.ts'

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

/** An own price that begins on a later day. */
export type PlannedPrice = {
  readonly model: string
  /** In epoch milliseconds. */
  readonly from: number
  readonly price: OwnPrice
}

export const readPlannedPrice = ({ model, from_day, price }: PlannedPricesTable): PlannedPrice => ({
  model,
  from: Date.parse(`${from_day}T00:00:00Z`),
  price: JSON.parse(price) as OwnPrice, // safe because only checked prices are written
})

type Stored = {
  readonly values: OptionValues
  readonly applied: readonly AppliedPrice[]
  /** The earliest first. */
  readonly planned: readonly PlannedPrice[]
}

/**
 * Adds the price list: the built-in prices of this moment, overridden by those that were applied
 * from feeds. The options' own ratios override both where a price is looked up. Until a price
 * changes by itself, a call compares two numbers.
 */
export function createPricing(current: () => Stored, now: () => number) {
  const price = (stored: Stored) => {
    const at = now()
    const { prices, until } = priceListAt(at, stored.applied)
    const next = stored.planned.find(({ from }) => from > at)?.from ?? Infinity
    const values = { ...withPlanned(stored.values, stored.planned, at), prices }
    return { stored, values, until: Math.min(until, next) }
  }
  let priced = price(current())
  return (): PricedOptions => {
    const stored = current()
    if (stored !== priced.stored || now() >= priced.until) priced = price(stored)
    return priced.values
  }
}

/** A planned price replaces own ratios from its day on, until a job has written it there. */
const withPlanned = (
  values: OptionValues,
  planned: readonly PlannedPrice[],
  at: number,
): OptionValues =>
  planned
    .filter(({ from }) => from <= at)
    .reduce<OptionValues>(
      (changed, { model, price }) => ({
        ...changed,
        ...Object.fromEntries(tablesWith(changed, model, price)),
      }),
      values,
    )

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
