import { isDeepStrictEqual } from 'node:util'
import { type OptionValues, ownPriceSchema } from '@tollgate/contract'
import { type OwnRatios, type OwnTable, partDollars, ratiosOf } from '../../domain/own-price.ts'
import { type FilePrice, PRICE_TABLES } from './file-schema.ts'

const TOKENS_PER_PRICE = 1e6

const rounded = (dollars: number) => Math.round(dollars * 1e8) / 1e8

/** Safe because these are the entries of that very object. */
const NAMED_TABLES = Object.entries(PRICE_TABLES) as [keyof typeof PRICE_TABLES, OwnTable][]

/** The entries of the option tables for a price of the file. */
export function tableRatios(price: FilePrice, quotaPerUnit: number): OwnRatios {
  if (!('ratios' in price)) return ratiosOf(price, quotaPerUnit)
  return Object.fromEntries(
    NAMED_TABLES.flatMap(([name, table]) => {
      const ratio = price.ratios[name]
      return ratio === undefined ? [] : [[table, ratio]]
    }),
  )
}

export const storedRatios = (model: string, values: OptionValues): OwnRatios =>
  Object.fromEntries(
    NAMED_TABLES.flatMap(([, table]) => {
      const ratio = Object.hasOwn(values[table], model) ? values[table][model] : undefined
      return ratio === undefined ? [] : [[table, ratio]]
    }),
  )

/** An own price as the file has it: in dollars if these are exact, and as ratios otherwise. */
export function filePrice(ratios: OwnRatios, quotaPerUnit: number): FilePrice | null {
  if (Object.keys(ratios).length === 0) return null
  const dollars = dollarsOf(ratios, quotaPerUnit)
  if (dollars !== null && isDeepStrictEqual(ratiosOf(dollars, quotaPerUnit), ratios)) return dollars
  return {
    ratios: Object.fromEntries(
      NAMED_TABLES.flatMap(([name, table]) => {
        const ratio = ratios[table]
        return ratio === undefined ? [] : [[name, ratio]]
      }),
    ),
  }
}

function dollarsOf(ratios: OwnRatios, quotaPerUnit: number) {
  const { ModelRatio, ModelPrice } = ratios
  if (ModelPrice !== undefined)
    return ownPriceSchema.safeParse({ per_call: ModelPrice }).data ?? null
  if (ModelRatio === undefined) return null
  const input = rounded((ModelRatio * TOKENS_PER_PRICE) / quotaPerUnit)
  const part = (name: string, ratio: number | undefined) =>
    ratio === undefined ? {} : { [name]: partDollars(input, ratio) }
  const price = {
    input,
    ...part('output', ratios.CompletionRatio),
    ...part('cached', ratios.CacheRatio),
    ...part('cache_write', ratios.CacheWriteRatio),
    ...part('audio_input', ratios.AudioRatio),
    ...part('audio_output', ratios.AudioCompletionRatio),
    ...part('image_input', ratios.ImageRatio),
  }
  return ownPriceSchema.safeParse(price).data ?? null
}
