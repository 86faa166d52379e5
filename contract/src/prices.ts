import table from './prices.json' with { type: 'json' }

/** A model ratio of 1 is $2 per million tokens. The other ratios are factors of the input price. */
export type ModelPrice = {
  readonly model_ratio: number
  readonly completion_ratio: number
  readonly cache_ratio: number
  readonly cache_write_ratio: number
  /** Set where audio or images are priced apart from text. */
  readonly audio_ratio?: number
  readonly audio_completion_ratio?: number
  readonly image_ratio?: number
  readonly long_prompt?: LongPrompt
}

/** Above `above` prompt tokens, the whole request is charged at these multiples. */
export type LongPrompt = { readonly above: number; readonly input: number; readonly output: number }

export const PRICE_TABLE_DATE = '2026-11-21'

export const defaultPrices: Readonly<Record<string, ModelPrice>> = table
