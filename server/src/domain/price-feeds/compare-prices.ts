import type { Dollars, PriceChangeKind } from '@tollgate/contract'
import type { ListedPrice, ModelPrice, PriceList } from '@tollgate/contract/prices'
import type { FeedPrice } from './feed-price.ts'
import { mergePrice } from './merge-price.ts'

export type PriceDifference = {
  readonly model: string
  readonly vendor: string
  readonly kind: PriceChangeKind
  readonly before: Dollars | null
  readonly after: Dollars | null
  /** The largest change of one price in percent of the price before; 0 for new models. */
  readonly percent: number
  /** What last week's requests would have cost more, in dollars; negative for less. */
  readonly effect: number
}

/** Tokens that were sold in the last week. */
type SoldTokens = { readonly prompt: number; readonly completion: number }

type Comparison = {
  readonly feed: ReadonlyMap<string, FeedPrice>
  readonly prices: PriceList
  /** Models whose price in use came from this feed. */
  readonly applied: ReadonlyMap<string, { readonly vendor: string }>
  readonly sold: ReadonlyMap<string, SoldTokens>
}

const NOTHING: SoldTokens = { prompt: 0, completion: 0 }

/** Every model whose price in the feed is not the price in use, by name. */
export function comparePrices({ feed, prices, applied, sold }: Comparison): PriceDifference[] {
  const differences: PriceDifference[] = []
  for (const [model, { vendor, row }] of feed) {
    const listed = prices.get(model)
    const current = listed && atPeak(listed)
    const price = mergePrice(row, current)
    if (current !== undefined && isSamePrice(current, price)) continue
    const before = current === undefined ? null : dollarsOf(current)
    differences.push(differenceOf({ model, vendor, before, after: dollarsOf(price) }, sold))
  }
  for (const [model, { vendor }] of applied) {
    const listed = prices.get(model)
    if (feed.has(model) || listed === undefined) continue
    differences.push(differenceOf({ model, vendor, before: dollarsOf(listed), after: null }, sold))
  }
  return differences.toSorted((a, b) => (a.model < b.model ? -1 : 1))
}

const atPeak = (price: ListedPrice): ModelPrice => ({
  ...price,
  model_ratio: price.peak_ratio ?? price.model_ratio,
})

const DOLLARS_PER_RATIO = 2

function dollarsOf({ model_ratio, completion_ratio, cache_ratio }: ModelPrice): Dollars {
  const input = model_ratio * DOLLARS_PER_RATIO
  return {
    input: rounded(input),
    output: rounded(input * completion_ratio),
    cached: rounded(input * cache_ratio),
  }
}

const rounded = (price: number) => Math.round(price * 1e6) / 1e6

const RATIOS = [
  'model_ratio',
  'completion_ratio',
  'cache_ratio',
  'cache_write_ratio',
  'long_cache_write_ratio',
  'audio_ratio',
  'audio_completion_ratio',
  'image_ratio',
] as const satisfies (keyof ModelPrice)[]

const TOLERANCE = 1e-6

function isSamePrice(listed: ModelPrice, price: ModelPrice): boolean {
  const isSameRatio = RATIOS.every((field) => {
    const [before = 1, after = 1] = [listed[field], price[field]]
    return Math.abs(before - after) <= TOLERANCE * Math.max(1, before)
  })
  return isSameRatio && JSON.stringify(listed.long_prompts) === JSON.stringify(price.long_prompts)
}

function differenceOf(
  change: Pick<PriceDifference, 'model' | 'vendor' | 'before' | 'after'>,
  sold: Comparison['sold'],
): PriceDifference {
  const { model, before, after } = change
  const { prompt, completion } = sold.get(model) ?? NOTHING
  if (before === null || after === null) {
    return { ...change, kind: before === null ? 'new' : 'removed', percent: 0, effect: 0 }
  }
  const steps = (['input', 'output', 'cached'] as const).map((part) => after[part] - before[part])
  const [input = 0, output = 0] = steps
  return {
    ...change,
    kind: kindOf(steps),
    percent: Math.max(percentOf(before.input, after.input), percentOf(before.output, after.output)),
    effect: rounded((input * prompt + output * completion) / 1e6),
  }
}

function kindOf(steps: readonly number[]): PriceChangeKind {
  const isDearer = steps.some((step) => step > 0)
  const isCheaper = steps.some((step) => step < 0)
  if (isDearer === isCheaper) return 'mixed'
  return isDearer ? 'dearer' : 'cheaper'
}

/** A price that was 0 counts as doubled. */
const percentOf = (before: number, after: number): number =>
  before === after ? 0 : Math.round((Math.abs(after - before) / (before || after)) * 100)
