import {
  type OptionValues,
  type OwnPrice,
  type PricePart,
  RATIO_DECIMALS,
  roundedRatio,
} from '@tollgate/contract'
import type { ListedPrice } from '@tollgate/contract/prices'
import { findPrice, type PriceOptions } from './find-price.ts'
import { CALL_TOKENS } from './price.ts'

const PARTS = {
  output: 'CompletionRatio',
  cached: 'CacheRatio',
  cache_write: 'CacheWriteRatio',
  audio_input: 'AudioRatio',
  audio_output: 'AudioCompletionRatio',
  image_input: 'ImageRatio',
} as const satisfies Partial<Record<PricePart, keyof OptionValues>>

/** The options that hold own prices. */
export const OWN_PRICE_TABLES = ['ModelRatio', ...Object.values(PARTS), 'ModelPrice'] as const

export type OwnTable = (typeof OWN_PRICE_TABLES)[number]

const TOKENS_PER_PRICE = 1e6

/** A model's entries of the option tables; tables that are left out have none. */
export type OwnRatios = Readonly<Partial<Record<OwnTable, number>>>

type OwnTables = (readonly [OwnTable, Readonly<Record<string, number>>])[]

export function ratiosOf(price: OwnPrice, quotaPerUnit: number): OwnRatios {
  if ('per_call' in price) return { ModelPrice: price.per_call }
  const { input, ...parts } = price
  const entries = Object.entries(PARTS).flatMap(([part, table]) => {
    const dollars = parts[part as keyof typeof PARTS] // safe because these are the keys of PARTS
    if (dollars === undefined) return []
    return [[table, input === 0 ? 1 : roundedRatio(dollars / input)] as const]
  })
  return {
    ModelRatio: roundedRatio((input * quotaPerUnit) / TOKENS_PER_PRICE),
    ...Object.fromEntries(entries),
  }
}

/** The tables with this price of the model, or without own prices for null. */
export const tablesWith = (
  values: Pick<OptionValues, OwnTable | 'QuotaPerUnit'>,
  model: string,
  price: OwnPrice | null,
): OwnTables =>
  ratiosWith(values, model, price === null ? {} : ratiosOf(price, values.QuotaPerUnit))

export const ratiosWith = (
  values: Pick<OptionValues, OwnTable>,
  model: string,
  ratios: OwnRatios,
): OwnTables =>
  OWN_PRICE_TABLES.map((table) => {
    const others = Object.entries(values[table]).filter(([name]) => name !== model)
    const ratio = ratios[table]
    const own = ratio === undefined ? [] : [[model, ratio] as const]
    return [table, Object.fromEntries([...others, ...own])] as const
  })

/** What the model costs now, in dollars; null if it has no price. */
export function dollarsOf(model: string, options: PriceOptions): OwnPrice | null {
  const price = findPrice({
    requested: model,
    mapped: model,
    options: { ...options, DefaultModelRatio: null },
  })
  if (price === null) return null
  const perMillion = (price.model_ratio * TOKENS_PER_PRICE) / options.QuotaPerUnit
  if (price.per_call !== undefined) {
    return { per_call: shown((price.model_ratio * CALL_TOKENS) / options.QuotaPerUnit) }
  }
  const { audio_prompt, audio_completion, image_prompt } = price.kind_ratios ?? {}
  const part = (name: PricePart, ratio: number | undefined) =>
    ratio === undefined ? {} : { [name]: partDollars(perMillion, ratio) }
  return {
    input: shown(perMillion),
    output: partDollars(perMillion, price.completion_ratio),
    ...part('cached', price.cache_ratio),
    ...part('cache_write', price.cache_write_ratio),
    ...part('audio_input', audio_prompt),
    ...part('audio_output', audio_completion),
    ...part('image_input', image_prompt),
  }
}

const DOLLAR_DECIMALS = 8

/** Prices of vendors have fewer decimals; the rest comes from ratios. */
const shown = (dollars: number) => Number(dollars.toFixed(DOLLAR_DECIMALS))

/**
 * The price of a part in dollars. A ratio of 0.033333333 of $30 was set as $1: decimals that the
 * rounded ratio does not determine are left out.
 */
export function partDollars(input: number, ratio: number): number {
  const known = Math.max(0, Math.ceil(RATIO_DECIMALS - Math.log10(input)) - 1)
  return Number((input * ratio).toFixed(Math.min(DOLLAR_DECIMALS, known)))
}

export const isOwn = (model: string, options: Pick<OptionValues, OwnTable>) =>
  OWN_PRICE_TABLES.some((table) => Object.hasOwn(options[table], model))

export const layerOf = (
  model: string,
  options: Pick<OptionValues, OwnTable>,
  listed: ListedPrice | undefined,
) =>
  isOwn(model, options)
    ? ('own' as const)
    : listed?.version.startsWith('feed:') === true
      ? ('feed' as const)
      : ('built_in' as const)
