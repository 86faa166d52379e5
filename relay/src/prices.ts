import table from './prices.json' with { type: 'json' }

/** A model ratio of 1 is $2 per million tokens; the others are factors of the price of input. */
export type ModelPrice = {
  readonly model_ratio: number
  readonly completion_ratio: number
  readonly cache_ratio: number
  readonly cache_write_ratio: number
  /** Where audio or images are priced apart from text. */
  readonly audio_ratio?: number
  readonly audio_completion_ratio?: number
  readonly image_ratio?: number
  readonly long_prompt?: LongPrompt
}

/** Once a prompt has more tokens than `above`, all of its request costs these times as much. */
export type LongPrompt = { readonly above: number; readonly input: number; readonly output: number }

/** The day on which the table was put together. */
export const PRICE_TABLE_DATE = '2026-11-21'

export const defaultPrices: Readonly<Record<string, ModelPrice>> = table
