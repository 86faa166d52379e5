import type { ChargeBasis } from '@tollgate/contract'

/** Explains a cost by that many prompt tokens, at one unit each. */
export function basis(cost: number): ChargeBasis {
  return {
    price_model: 'gpt-4o',
    price_version: 'test',
    model_ratio: 1,
    completion_ratio: 1,
    cache_ratio: 1,
    cache_write_ratio: 1,
    group: 'default',
    group_ratio: 1,
    prompt_tokens: cost,
    cached_tokens: 0,
    cache_write_tokens: 0,
    completion_tokens: 0,
    reasoning_tokens: 0,
    usage_source: 'reported',
    held: 0,
    cost,
  }
}
