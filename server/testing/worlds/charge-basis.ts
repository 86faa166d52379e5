/** A charge basis that costs 30 units, for tests that are not about prices. */
export const CHARGE_BASIS = {
  price_model: 'upstream-name',
  price_version: '1',
  model_ratio: 1.25,
  completion_ratio: 4,
  cache_ratio: 0.5,
  cache_write_ratio: 1,
  group: 'default',
  group_ratio: 1,
  prompt_tokens: 10,
  cached_tokens: 0,
  cache_write_tokens: 0,
  completion_tokens: 5,
  reasoning_tokens: 0,
  usage_source: 'reported',
  held: 100,
  cost: 30,
} as const
