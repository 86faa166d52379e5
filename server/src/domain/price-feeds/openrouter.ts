import type { Candidate } from './feed-price.ts'
import { isObject, type Json, objectsIn, perMillionOfText, textOf } from './json-values.ts'

/** Variants of a model have conditions, and `-1` marks a price that varies. */
const isPlain = (id: string) => id !== '' && !id.includes(':') && !id.startsWith('~')

/**
 * https://openrouter.ai/docs/api-reference/list-available-models: what OpenRouter charges. Prices
 * are decimal text in dollars per token.
 */
export function openRouterPrices(json: Json): Iterable<Candidate> | null {
  const models = json['data']
  return Array.isArray(models) ? candidatesOf(objectsIn(models)) : null
}

function* candidatesOf(models: readonly Json[]): Generator<Candidate> {
  for (const { id, pricing } of models) {
    const model = textOf(id)
    if (!isPlain(model) || !isObject(pricing) || pricing['prompt'] === '-1') continue
    yield { model, vendor: 'OpenRouter', prices: pricesOf(pricing) }
  }
}

const pricesOf = (pricing: Json) => ({
  input: perMillionOfText(pricing['prompt']),
  output: perMillionOfText(pricing['completion']),
  cached: paid(pricing['input_cache_read']),
  cache_write: paid(pricing['input_cache_write']),
  cache_write_1h: paid(pricing['input_cache_write_1h']),
  audio_input: paid(pricing['audio']),
  audio_output: paid(pricing['audio_output']),
  image_input: paid(pricing['image_token']),
})

/** Zero stands for a kind of token that the model does not take. */
const paid = (price: unknown) => (price === '0' ? undefined : perMillionOfText(price))
