import type { FeedProblem } from '@tollgate/contract'
import { inputOf, type PriceRow } from '@tollgate/contract/prices'

/** A price as a feed states it, in dollars per million tokens. Values are not yet checked. */
export type Candidate = {
  readonly model: string
  readonly vendor: string
  readonly prices: Readonly<Record<string, unknown>>
  /** Tiers for long prompts; the prices in them are unchecked too. */
  readonly long?: readonly Readonly<Record<string, unknown>>[] | undefined
}

/** Options that only some kinds of feeds read. */
export type FeedOptions = {
  /** The group of this gateway's key at another gateway. */
  readonly group: string
}

export type FeedPrice = { readonly vendor: string; readonly row: PriceRow }

export type FeedPrices = {
  readonly prices: ReadonlyMap<string, FeedPrice>
  /** By model. */
  readonly problems: ReadonlyMap<string, FeedProblem>
}

/** No vendor asks more, in dollars per million tokens. */
const INPUT_MAX = 200
const OUTPUT_MAX = 800
/** A lower price of input is one per token, mistaken for one per million. */
const INPUT_MIN = 0.0005
/** Feeds list a few thousand models. */
const FEED_MODELS_MAX = 20_000
const NAME_LENGTH_MAX = 200

const FIELDS = [
  'input',
  'output',
  'cached',
  'cache_write',
  'cache_write_1h',
  'cache_write_12h',
  'audio_input',
  'audio_output',
  'image_input',
  'per_image',
  'per_minute',
  'per_search',
  'per_page',
] as const

/** Checks each price. Names that differ only in case must have the same price. */
export function checkPrices(candidates: Iterable<Candidate>): FeedPrices {
  const prices = new Map<string, FeedPrice>()
  const problems = new Map<string, FeedProblem>()
  const names = new Map<string, string>()
  for (const candidate of candidates) {
    const { model, vendor } = candidate
    if (model === '' || model.length > NAME_LENGTH_MAX) continue
    if (prices.size + problems.size >= FEED_MODELS_MAX) break
    const row = checkedRow(candidate)
    const known = names.get(model.toLowerCase())
    if (known !== undefined && !isSameRow(row, prices.get(known)?.row)) {
      prices.delete(known)
      problems.set(known, 'duplicate')
      if (known !== model) problems.set(model, 'duplicate')
      continue
    }
    names.set(model.toLowerCase(), model)
    if (typeof row === 'string') problems.set(model, row)
    else if (known === undefined || known !== model) prices.set(model, { vendor, row })
  }
  return { prices, problems }
}

const isSameRow = (row: PriceRow | FeedProblem, known: PriceRow | undefined) =>
  known !== undefined && JSON.stringify(row) === JSON.stringify(known)

/** Dollars of a piece, in place of `input`. */
const UNITS = ['per_image', 'per_minute', 'per_search', 'per_page'] as const

function checkedRow({ prices, long = [] }: Candidate): PriceRow | FeedProblem {
  const row: Partial<Record<(typeof FIELDS)[number], number>> = {}
  for (const field of FIELDS) {
    const value = prices[field]
    if (value === undefined || value === null) continue
    const problem = problemOf(value)
    if (problem !== null) return problem
    row[field] = rounded(Number(value))
  }
  const { output = 0, cached = 0 } = row
  const hasUnit = ['input', ...UNITS].some((field) => field in row)
  if (!hasUnit) return 'no_price'
  const input = inputOf(row)
  if (input === 0) return 'zero'
  if (input < INPUT_MIN) return 'too_low'
  if (isTooHigh({ ...row, input })) return 'too_high'
  if (cached > input) return 'cached_above_input'
  const tiers = long.map((tier) => checkedTier(tier))
  const broken = tiers.find((tier) => typeof tier === 'string')
  if (broken !== undefined) return broken
  const whole = tiers.flatMap((tier) => (typeof tier === 'string' ? [] : [tier]))
  const ascending = whole.toSorted((a, b) => a.above - b.above)
  return { ...row, output, ...(ascending.length === 0 ? {} : { long: ascending }) }
}

function checkedTier(tier: Readonly<Record<string, unknown>>) {
  const { above, input, output, cached } = tier
  for (const value of [above, input, output, cached ?? 0]) {
    const problem = problemOf(value)
    if (problem !== null) return problem
  }
  const prices = { input: rounded(Number(input)), output: rounded(Number(output)) }
  if (prices.input === 0) return 'zero'
  if (isTooHigh(prices)) return 'too_high'
  const read = cached === undefined || cached === null ? {} : { cached: rounded(Number(cached)) }
  return { above: Number(above), ...prices, ...read }
}

const isTooHigh = ({ input = 0, output = 0, ...others }: Readonly<Record<string, number>>) =>
  input > INPUT_MAX || [output, ...Object.values(others)].some((price) => price > OUTPUT_MAX)

function problemOf(value: unknown): FeedProblem | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'not_a_number'
  return value < 0 ? 'negative' : null
}

/** Feeds state prices per token, whose multiples have rounding errors. */
const rounded = (price: number) => Math.round(price * 1e8) / 1e8
