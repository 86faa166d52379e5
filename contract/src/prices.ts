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
}

/** Above `above` prompt tokens, the whole request is charged at these multiples. */
export type LongPrompt = {
  readonly above: number
  readonly input: number
  readonly output: number
  /** Absent if cached input costs as many times more as other input. */
  readonly cached?: number
}

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
  readonly long?: readonly LongRow[]
  /** The first day on which the vendor no longer serves the model. */
  readonly shutdown?: string
  /** Replace those of the section. */
  readonly per_dollar?: number
  readonly source?: string
  readonly date?: string
  readonly note?: string
}

export type LongRow = {
  readonly above: number
  /** The prices hold at `above` tokens too. */
  readonly inclusive?: boolean | undefined
  readonly input: number
  readonly output: number
  readonly cached?: number | undefined
}

export type PriceSection = {
  /** The vendor's public page. */
  readonly source: string
  readonly date: string
  /** Units of the currency that a dollar buys; absent for dollars. */
  readonly per_dollar?: number
  readonly note?: string
  readonly models: Readonly<Record<string, PriceRow>>
}

/** By vendor, under the names of channel types where the vendor has one. */
export const priceSections: Readonly<Record<string, PriceSection>> = table

/** $2 per million tokens. */
const DOLLARS_PER_RATIO = 2

/** The gateway counts a piece as this many tokens. */
const TOKENS_PER = { image: 1000, minute: 200, search: 1000 } as const

/** Charges use nine decimals of a ratio. */
const rounded = (ratio: number) => Math.round(ratio * 1e9) / 1e9

/** Ratios of a row, given the currency of its section. */
export function priceOf(row: PriceRow, sectionCurrency = 1): ModelPrice {
  const input = inputOf(row)
  const { output = 0, cached, cache_write, audio_input, audio_output, image_input } = row
  const relative = (price = input) => (input === 0 ? 1 : rounded(price / input))
  const longWrite = row.cache_write_1h ?? row.cache_write_12h
  return {
    model_ratio: rounded(input / (row.per_dollar ?? sectionCurrency) / DOLLARS_PER_RATIO),
    completion_ratio: relative(output),
    cache_ratio: relative(cached),
    cache_write_ratio: relative(cache_write),
    ...(longWrite === undefined ? {} : { long_cache_write_ratio: relative(longWrite) }),
    ...(audio_input === undefined ? {} : { audio_ratio: relative(audio_input) }),
    ...(audio_output === undefined ? {} : { audio_completion_ratio: relative(audio_output) }),
    ...(image_input === undefined ? {} : { image_ratio: relative(image_input) }),
    ...(row.long === undefined ? {} : { long_prompts: row.long.map((tier) => tierOf(tier, row)) }),
  }
}

function inputOf({ input, per_image, per_minute, per_search }: PriceRow): number {
  if (per_image !== undefined) return (per_image / TOKENS_PER.image) * 1e6
  if (per_minute !== undefined) return (per_minute / TOKENS_PER.minute) * 1e6
  if (per_search !== undefined) return (per_search / TOKENS_PER.search) * 1e6
  return input ?? 0
}

function tierOf(tier: LongRow, row: PriceRow): LongPrompt {
  const { input: baseInput = 0, output: baseOutput = 0, cached: baseCached = baseInput } = row
  const above = tier.inclusive === true ? tier.above - 1 : tier.above
  const input = rounded(tier.input / baseInput)
  const output = rounded(tier.output / baseOutput)
  const cached = tier.cached === undefined ? input : rounded(tier.cached / baseCached)
  return cached === input ? { above, input, output } : { above, input, output, cached }
}

type NamedRow = { name: string; vendor: string; row: PriceRow; section: PriceSection }

const namedRows: readonly NamedRow[] = Object.entries(priceSections).flatMap(([vendor, section]) =>
  Object.entries(section.models).flatMap(([model, row]) =>
    [model, ...(row.aliases ?? [])].map((name) => ({ name, vendor, row, section })),
  ),
)

export const defaultPrices: Readonly<Record<string, ModelPrice>> = Object.fromEntries(
  namedRows.map(({ name, row, section }) => [name, priceOf(row, section.per_dollar)]),
)

/** By model. */
export const vendors: ReadonlyMap<string, string> = new Map(
  namedRows.map(({ name, vendor }) => [name, vendor]),
)

/** By model: the first day on which its vendor no longer serves it. */
export const shutdowns: ReadonlyMap<string, string> = new Map(
  namedRows.flatMap(({ name, row }) => (row.shutdown === undefined ? [] : [[name, row.shutdown]])),
)
