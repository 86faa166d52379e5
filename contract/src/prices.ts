import table from './prices.json' with { type: 'json' }

/** A model ratio of 1 is $2 per million tokens. The other ratios are factors of the input price. */
export type ModelPrice = {
  readonly model_ratio: number
  readonly completion_ratio: number
  readonly cache_ratio: number
  readonly cache_write_ratio: number
  /** Set where a cache write for an hour or longer has a price of its own. */
  readonly long_cache_write_ratio?: number
  /** Set where audio or images are priced apart from text. */
  readonly audio_ratio?: number
  readonly audio_completion_ratio?: number
  readonly image_ratio?: number
  /** Ascending by `above`. The last tier that the prompt exceeds counts. */
  readonly long_prompts?: readonly LongPrompt[]
  /** By service tier, such as `flex` and `priority`. */
  readonly tiers?: Readonly<Record<string, Multiples>>
  /** By region: what a request that is served there costs of the price. */
  readonly regions?: Readonly<Record<string, number>>
  /** By tool that the provider runs: dollars of a call. */
  readonly tools?: Readonly<Record<string, number>>
}

/** Multiples of the prices of a model. */
export type Multiples = {
  readonly input: number
  readonly output: number
  /** Absent if cached input costs as many times more as other input. */
  readonly cached?: number
}

/** Above `above` prompt tokens, the whole request is charged at these multiples. */
export type LongPrompt = Multiples & { readonly above: number }

/** A region of this name stands for each address of the vendor that names a region. */
export const ANY_REGION = 'any'

/** The day on which the vendors' lists were read. */
export const PRICE_TABLE_DATE = '2026-11-26'

/**
 * A row of the table: prices in the currency of its section, per million tokens unless the name
 * says otherwise. Absent prices of parts are those of input, and of `audio_output` that of output.
 */
export type PriceRow = {
  /** Further names of the model: snapshots, and the names that OpenRouter uses. */
  readonly aliases?: readonly string[]
  readonly input?: number
  readonly output?: number
  readonly cached?: number
  readonly cache_write?: number
  readonly cache_write_1h?: number
  readonly cache_write_12h?: number
  readonly audio_input?: number
  readonly audio_output?: number
  readonly image_input?: number
  /** Instead of `input` and `output`. */
  readonly per_image?: number
  readonly per_minute?: number
  readonly per_search?: number
  readonly per_page?: number
  readonly long?: readonly LongRow[]
  /** By service tier: a factor of all prices, or prices of its own. */
  readonly tiers?: Readonly<Record<string, number | TierRow>>
  /** By region: a factor of all prices. */
  readonly regions?: Readonly<Record<string, number>>
  /** By tool: dollars of a call. They replace those of the section one by one. */
  readonly tools?: Readonly<Record<string, number>>
  /** Ascending by `from`. Each replaces all prices of the row. */
  readonly changes?: readonly PriceChange[]
  readonly off_peak?: OffPeak
  /** The first day on which the vendor no longer serves the model. */
  readonly shutdown?: string
  /** Replace those of the section. */
  readonly per_dollar?: number
  readonly source?: string
  readonly date?: string
  readonly note?: string
}

/** Prices that apply from the beginning of this UTC day on. */
export type PriceChange = Omit<
  PriceRow,
  'aliases' | 'changes' | 'shutdown' | 'per_dollar' | 'source' | 'date' | 'note'
> & { readonly from: string }

/** Outside of the peak hours, all prices of the row are multiplied by `factor`. */
export type OffPeak = {
  readonly factor: number
  /** Hours of the day in UTC, ascending; `to` is no longer peak. */
  readonly peak_hours: readonly { readonly from: number; readonly to: number }[]
  /** Days with peak hours: 1 is Monday, 7 is Sunday. */
  readonly peak_days: readonly number[]
}

/** Prices in place of those of the row. */
export type TierRow = {
  readonly input: number
  readonly output: number
  readonly cached?: number | undefined
}

export type LongRow = TierRow & {
  readonly above: number
  /** The prices hold at `above` tokens too. */
  readonly inclusive?: boolean | undefined
}

export type PriceSection = {
  /** The vendor's public page. */
  readonly source: string
  readonly date: string
  /** Units of the currency that a dollar buys; absent for dollars. */
  readonly per_dollar?: number
  readonly note?: string
  /** By tool that the vendor runs: dollars of a call. */
  readonly tools?: Readonly<Record<string, number>>
  readonly models: Readonly<Record<string, PriceRow>>
}

/** By vendor, under the names of channel types where the vendor has one. */
export const priceSections: Readonly<Record<string, PriceSection>> = table

/** $2 per million tokens. */
const DOLLARS_PER_RATIO = 2

/** The gateway counts a piece as this many tokens. */
const TOKENS_PER = { image: 1000, minute: 200, search: 1000, page: 1000 } as const

/** Charges use nine decimals of a ratio. */
const rounded = (ratio: number) => Math.round(ratio * 1e9) / 1e9

/** Ratios of a row, given the currency and the tools of its section. */
export function priceOf(
  row: PriceRow,
  sectionCurrency = 1,
  sectionTools?: PriceSection['tools'],
): ModelPrice {
  const input = inputOf(row)
  const { output = 0, cached, cache_write, audio_input, audio_output, image_input } = row
  const relative = (price = input) => (input === 0 ? 1 : rounded(price / input))
  const longWrite = row.cache_write_1h ?? row.cache_write_12h
  const { regions, tiers } = row
  const tools =
    sectionTools === undefined && row.tools === undefined ? null : { ...sectionTools, ...row.tools }
  return {
    model_ratio: rounded(input / (row.per_dollar ?? sectionCurrency) / DOLLARS_PER_RATIO),
    completion_ratio: relative(output),
    cache_ratio: relative(cached),
    cache_write_ratio: relative(cache_write),
    ...(longWrite === undefined ? {} : { long_cache_write_ratio: relative(longWrite) }),
    ...(audio_input === undefined ? {} : { audio_ratio: relative(audio_input) }),
    ...(audio_output === undefined ? {} : { audio_completion_ratio: relative(audio_output) }),
    ...(image_input === undefined ? {} : { image_ratio: relative(image_input) }),
    ...(row.long === undefined ? {} : { long_prompts: row.long.map((tier) => longOf(tier, row)) }),
    ...(tiers === undefined ? {} : { tiers: tiersOf(tiers, row) }),
    ...(regions === undefined ? {} : { regions }),
    ...(tools === null ? {} : { tools }),
  }
}

/** The price of input; that of a piece is spread over the tokens which the piece counts as. */
export function inputOf(row: PriceRow): number {
  const { input, per_image, per_minute, per_search, per_page } = row
  if (per_image !== undefined) return (per_image / TOKENS_PER.image) * 1e6
  if (per_minute !== undefined) return (per_minute / TOKENS_PER.minute) * 1e6
  if (per_search !== undefined) return (per_search / TOKENS_PER.search) * 1e6
  if (per_page !== undefined) return (per_page / TOKENS_PER.page) * 1e6
  return input ?? 0
}

function longOf(tier: LongRow, row: PriceRow): LongPrompt {
  const above = tier.inclusive === true ? tier.above - 1 : tier.above
  return { above, ...multiplesOf(tier, row) }
}

const tiersOf = (tiers: NonNullable<PriceRow['tiers']>, row: PriceRow) =>
  Object.fromEntries(
    Object.entries(tiers).map(([name, tier]) => [
      name,
      typeof tier === 'number' ? { input: tier, output: tier } : multiplesOf(tier, row),
    ]),
  )

function multiplesOf(tier: TierRow, row: PriceRow): Multiples {
  const { input: baseInput = 0, output: baseOutput = 0, cached: baseCached = baseInput } = row
  const input = rounded(tier.input / baseInput)
  const output = rounded(tier.output / baseOutput)
  const cached = tier.cached === undefined ? input : rounded(tier.cached / baseCached)
  return cached === input ? { input, output } : { input, output, cached }
}

type NamedRow = { name: string; vendor: string; row: PriceRow; section: PriceSection }

const namedRows: readonly NamedRow[] = Object.entries(priceSections).flatMap(([vendor, section]) =>
  Object.entries(section.models).flatMap(([model, row]) =>
    [model, ...(row.aliases ?? [])].map((name) => ({ name, vendor, row, section })),
  ),
)

export const defaultPrices: Readonly<Record<string, ModelPrice>> = Object.fromEntries(
  namedRows.map(({ name, row, section }) => [
    name,
    priceOf(row, section.per_dollar, section.tools),
  ]),
)

export type ListedPrice = ModelPrice & {
  /** Names the row on receipts. */
  readonly version: string
  /** The model ratio of peak hours; absent at peak hours and for models without such hours. */
  readonly peak_ratio?: number
}

export type PriceList = ReadonlyMap<string, ListedPrice>

/** Prices that hold until this moment, in epoch milliseconds. */
export type TimedPrices = { readonly prices: PriceList; readonly until: number }

const unchanging: PriceList = new Map(
  Object.entries(defaultPrices).map(([name, price]) => [
    name,
    { ...price, version: PRICE_TABLE_DATE },
  ]),
)

const timedRows = namedRows.filter(
  ({ row }) => row.changes !== undefined || row.off_peak !== undefined,
)

export function builtInPricesAt(now: number): TimedPrices {
  const prices = new Map(unchanging)
  let until = Infinity
  for (const { name, row, section } of timedRows) {
    const timed = rowAt(row, now)
    const price = priceOf(timed.row, section.per_dollar, section.tools)
    prices.set(name, listedPrice(price, `${PRICE_TABLE_DATE}${timed.mark}`, timed.factor))
    until = Math.min(until, timed.until)
  }
  return { prices, until }
}

/** All other ratios are factors of the model ratio. */
export const listedPrice = (price: ModelPrice, version: string, factor = 1): ListedPrice =>
  factor === 1
    ? { ...price, version }
    : {
        ...price,
        model_ratio: rounded(price.model_ratio * factor),
        peak_ratio: price.model_ratio,
        version,
      }

type TimedRow = {
  readonly row: PriceRow
  readonly factor: number
  /** What a receipt says about the date and the hour of the price. */
  readonly mark: string
  readonly until: number
}

/** The prices of a row at this moment, in epoch milliseconds. */
export function rowAt(row: PriceRow, now: number): TimedRow {
  const { changes = [], per_dollar } = row
  const last = changes.findLast(({ from }) => startOf(from) <= now)
  const next = changes.find(({ from }) => startOf(from) > now)
  const dated: PriceRow =
    last === undefined ? row : { ...last, ...(per_dollar === undefined ? {} : { per_dollar }) }
  const hours = hoursAt(dated.off_peak, now)
  const since = last === undefined ? '' : `+since-${last.from}`
  return {
    row: dated,
    factor: hours.isPeak ? 1 : (dated.off_peak?.factor ?? 1),
    mark: hours.isPeak ? since : `${since}+off-peak`,
    until: Math.min(hours.until, next === undefined ? Infinity : startOf(next.from)),
  }
}

const startOf = (day: string) => Date.parse(`${day}T00:00:00Z`)

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const SUNDAY = 7

function hoursAt(offPeak: OffPeak | undefined, now: number) {
  if (offPeak === undefined) return { isPeak: true, until: Infinity }
  const midnight = now - (now % DAY_MS)
  const hour = Math.floor((now - midnight) / HOUR_MS)
  const hasPeak = offPeak.peak_days.includes(new Date(now).getUTCDay() || SUNDAY)
  const isPeak = hasPeak && offPeak.peak_hours.some(({ from, to }) => from <= hour && hour < to)
  const edge =
    offPeak.peak_hours.flatMap(({ from, to }) => [from, to]).find((at) => at > hour) ??
    DAY_MS / HOUR_MS
  return { isPeak, until: midnight + edge * HOUR_MS }
}

/** By model. */
export const vendors: ReadonlyMap<string, string> = new Map(
  namedRows.map(({ name, vendor }) => [name, vendor]),
)

/** By model: the first day on which its vendor no longer serves it. */
export const shutdowns: ReadonlyMap<string, string> = new Map(
  namedRows.flatMap(({ name, row }) => (row.shutdown === undefined ? [] : [[name, row.shutdown]])),
)
