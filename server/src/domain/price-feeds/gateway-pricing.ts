import type { Candidate, FeedOptions } from './feed-price.ts'
import { isObject, type Json, objectsIn, textOf } from './json-values.ts'

/** What these gateways show for a model that has no price: $75 per million tokens. */
const UNPRICED_RATIO = 37.5
/** A model ratio of 1 is $2 per million tokens. */
const DOLLARS_PER_RATIO = 2
const PER_TOKEN = 0

/**
 * `GET /api/pricing` of the gateways of the One API family
 * (https://github.com/QuantumNous/new-api). Prices by call and by expression are left out.
 */
export function gatewayPrices(json: Json, { group }: FeedOptions): Iterable<Candidate> | null {
  const { success, data } = json
  if (success !== true || !Array.isArray(data)) return null
  const ratios = json['group_ratio']
  const factor = isObject(ratios) && Object.hasOwn(ratios, group) ? ratios[group] : 1
  return candidatesOf(objectsIn(data), factor)
}

function* candidatesOf(models: readonly Json[], factor: unknown): Generator<Candidate> {
  for (const entry of models) {
    const model = textOf(entry['model_name'])
    const isTokens = entry['quota_type'] === PER_TOKEN && textOf(entry['billing_expr']) === ''
    if (!isTokens || entry['model_ratio'] === UNPRICED_RATIO) continue
    yield { model, vendor: textOf(entry['owner_by']), prices: pricesOf(entry, factor) }
  }
}

function pricesOf(entry: Json, factor: unknown) {
  const input = product(product(entry['model_ratio'], DOLLARS_PER_RATIO), factor)
  const times = (ratio: unknown) =>
    ratio === undefined || ratio === null ? undefined : product(input, ratio)
  return {
    input,
    output: product(input, entry['completion_ratio']),
    cached: times(entry['cache_ratio']),
    cache_write: times(entry['create_cache_ratio']),
    audio_input: times(entry['audio_ratio']),
    image_input: times(entry['image_ratio']),
  }
}

/** A value that is no number is kept, so that the check of the price reports it. */
const product = (value: unknown, factor: unknown): unknown => {
  if (typeof value !== 'number') return value
  return typeof factor === 'number' ? value * factor : factor
}
