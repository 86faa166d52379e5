import type { OptionValues } from '@tollgate/contract'
import { type ModelPrice, PRICE_TABLE_DATE, type PriceList } from '@tollgate/contract/prices'
import { familyCompletionRatio } from './completion-ratio.ts'
import type { KindRatios, Price } from './price-type.ts'
import { CALL_TOKENS } from './price.ts'

export type PriceOptions = Pick<
  OptionValues,
  | 'ModelRatio'
  | 'CompletionRatio'
  | 'CacheRatio'
  | 'CacheWriteRatio'
  | 'AudioRatio'
  | 'AudioCompletionRatio'
  | 'ImageRatio'
  | 'DefaultModelRatio'
  | 'ModelPrice'
  | 'QuotaPerUnit'
> & {
  /** The prices that apply where no option has one. */
  readonly prices: PriceList
}

/** The options in use, with the price list that applies with them. */
export type PricedOptions = OptionValues & Pick<PriceOptions, 'prices'>

type Ratios = Readonly<Record<string, number>>
type RatioField = keyof Omit<ModelPrice, 'long_prompts' | 'tiers' | 'regions' | 'tools'>

/** A name may be any text, including `constructor`. */
const entryOf = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

/** Version of a price that is only the default ratio. */
export const DEFAULT_PRICE = 'default'

/**
 * Uses the price of the requested model, else of the mapped model, so that a charge does not depend
 * on routing; else the default ratio. Null if there is no price and the default is to reject.
 */
export function findPrice({
  requested,
  mapped,
  options,
}: {
  requested: string
  mapped: string
  options: PriceOptions
}): Price | null {
  const named = [requested, mapped].find((name) => modelRatio(name, options) !== undefined)
  const name = named ?? requested
  const ratio = named === undefined ? options.DefaultModelRatio : modelRatio(named, options)
  if (ratio === null || ratio === undefined) return null
  if (Object.hasOwn(options.ModelPrice, name)) return callPrice(name, ratio, options)
  const listed = options.prices.get(name)
  const factor = (table: Ratios, field: RatioField, fallback: number) =>
    entryOf(table, name) ?? listed?.[field] ?? fallback
  const cache_write_ratio = factor(options.CacheWriteRatio, 'cache_write_ratio', 1)
  return {
    price_model: name,
    price_version: named === undefined ? DEFAULT_PRICE : versionOf(name, options),
    model_ratio: ratio,
    completion_ratio: factor(
      options.CompletionRatio,
      'completion_ratio',
      familyCompletionRatio(name),
    ),
    cache_ratio: factor(options.CacheRatio, 'cache_ratio', 1),
    cache_write_ratio,
    ...kindRatios(name, options, cache_write_ratio),
    ...longPrompts(name, options),
    ...featurePrices(listed, options),
  }
}

/** The factors of a listed price apply to an operator's own ratios too. */
function featurePrices(
  listed: ModelPrice | undefined,
  { QuotaPerUnit }: Pick<PriceOptions, 'QuotaPerUnit'>,
): Pick<Price, 'tiers' | 'regions' | 'tools'> {
  const { tiers, regions, tools } = listed ?? {}
  return {
    ...(tiers === undefined ? {} : { tiers }),
    ...(regions === undefined ? {} : { regions }),
    ...(tools === undefined ? {} : { tools: unitsOf(tools, QuotaPerUnit) }),
  }
}

const unitsOf = (dollars: Ratios, quotaPerUnit: number): Ratios =>
  Object.fromEntries(Object.entries(dollars).map(([tool, price]) => [tool, price * quotaPerUnit]))

/** Tokens cost nothing; a call counts as `CALL_TOKENS` of the model ratio. */
const callPrice = (name: string, model_ratio: number, options: PriceOptions): Price => ({
  price_model: name,
  price_version: versionOf(name, options),
  model_ratio,
  completion_ratio: 0,
  cache_ratio: 0,
  cache_write_ratio: 0,
  per_call: true,
})

function longPrompts(name: string, options: PriceOptions): Pick<Price, 'long_prompts'> {
  const { ModelRatio, CompletionRatio } = options
  const isOwn =
    entryOf(ModelRatio, name) !== undefined || entryOf(CompletionRatio, name) !== undefined
  const long_prompts = isOwn ? undefined : options.prices.get(name)?.long_prompts
  return long_prompts === undefined ? {} : { long_prompts }
}

const KIND_TABLES = [
  ['audio_prompt', 'AudioRatio', 'audio_ratio'],
  ['image_prompt', 'ImageRatio', 'image_ratio'],
  ['audio_completion', 'AudioCompletionRatio', 'audio_completion_ratio'],
] as const

function kindRatios(
  name: string,
  options: PriceOptions,
  writeRatio: number,
): Pick<Price, 'kind_ratios'> {
  let ratios: KindRatios | undefined
  for (const [kind, option, field] of KIND_TABLES) {
    const ratio = entryOf(options[option], name) ?? options.prices.get(name)?.[field]
    if (ratio !== undefined) ratios = { ...ratios, [kind]: ratio }
  }
  const longWrite = longWriteRatio(name, options, writeRatio)
  if (longWrite !== undefined) ratios = { ...ratios, long_cache_write: longWrite }
  return ratios === undefined ? {} : { kind_ratios: ratios }
}

/** The listed ratio goes with the listed price of a short write. */
function longWriteRatio(name: string, options: PriceOptions, writeRatio: number) {
  const isOwn = entryOf(options.CacheWriteRatio, name) !== undefined
  const listed = isOwn ? undefined : options.prices.get(name)?.long_cache_write_ratio
  return listed ?? (writeRatio > 1 ? writeRatio * LONG_WRITE_FACTOR : undefined)
}

/** Anthropic's list: a cache write for one hour costs 2 times the input, for minutes 1.25 times. */
const LONG_WRITE_FACTOR = 2 / 1.25

/** Whether a model has its own price rather than the default. */
export const hasPrice = (name: string, options: PriceOptions) =>
  modelRatio(name, options) !== undefined

export function modelRatio(
  name: string,
  {
    ModelPrice,
    ModelRatio,
    QuotaPerUnit,
    prices,
  }: Pick<PriceOptions, 'ModelPrice' | 'ModelRatio' | 'QuotaPerUnit' | 'prices'>,
): number | undefined {
  const dollars = entryOf(ModelPrice, name)
  if (dollars !== undefined) return (dollars * QuotaPerUnit) / CALL_TOKENS
  return entryOf(ModelRatio, name) ?? prices.get(name)?.model_ratio
}

/** The version of the listed price, marked if an operator's own ratio was used. */
function versionOf(name: string, options: PriceOptions): string {
  const { ModelRatio, CompletionRatio, CacheRatio, CacheWriteRatio } = options
  const kinds = KIND_TABLES.map(([, option]) => options[option])
  const isOwn = [
    options.ModelPrice,
    ModelRatio,
    CompletionRatio,
    CacheRatio,
    CacheWriteRatio,
    ...kinds,
  ].some((table) => entryOf(table, name) !== undefined)
  const version = options.prices.get(name)?.version ?? PRICE_TABLE_DATE
  return isOwn ? `${version}+options` : version
}

/** An unknown group has ratio 1. */
export const groupRatioOf = (group: string, { GroupRatio }: Pick<OptionValues, 'GroupRatio'>) =>
  entryOf(GroupRatio, group) ?? 1
