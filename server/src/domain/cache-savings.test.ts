import { expect, test } from 'vitest'
import type { ChargeBasis } from '@tollgate/contract'
import { basis } from '../../testing/ledger/sample-basis.ts'
import { cacheSavings } from './cache-savings.ts'
import { recomputeCost } from './price.ts'

/** Claude: 3 dollars per million tokens, a tenth for reading, 1.25 and 2 times for writing. */
const claude: ChargeBasis = {
  ...basis(0),
  model_ratio: 1.5,
  completion_ratio: 5,
  cache_ratio: 0.1,
  cache_write_ratio: 1.25,
  group_ratio: 2,
  prompt_tokens: 10_000,
  completion_tokens: 700,
}

test.each([
  ['a request that uses no cache', {}, 0],
  ['cached input', { cached_tokens: 8000 }, 8000 * 0.9 * 3],
  ['cache writes, which cost more than input', { cache_write_tokens: 4000 }, -4000 * 0.25 * 3],
  [
    'cache writes that last an hour',
    {
      cache_write_tokens: 4000,
      kinds: [{ kind: 'long_cache_write' as const, tokens: 1000, ratio: 2 }],
    },
    -(3000 * 0.25 + 1000) * 3,
  ],
  [
    'cached input next to audio',
    {
      cached_tokens: 2000,
      kinds: [{ kind: 'audio_prompt' as const, tokens: 3000, ratio: 8 }],
    },
    2000 * 0.9 * 3,
  ],
  ['cached input of a model without a price for it', { cached_tokens: 8000, cache_ratio: 1 }, 0],
])('%s saves the difference to ordinary input', (_, part, expected) => {
  const used = { ...claude, ...part }
  expect(cacheSavings({ ...used, cost: recomputeCost(used) })).toBeCloseTo(expected, 6)
})
