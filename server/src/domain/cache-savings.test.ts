import { expect, test } from 'vitest'
import type { ChargeBasis } from '@tollgate/contract'
import { basis } from '../../testing/ledger/sample-basis.ts'
import { cacheSavings } from './cache-savings.ts'

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
  ['nothing of the cache', {}, 0],
  ['reads', { cached_tokens: 8000 }, 8000 * 0.9 * 3],
  ['writes, which cost more', { cache_write_tokens: 4000 }, -4000 * 0.25 * 3],
  ['both', { cached_tokens: 2000, cache_write_tokens: 4000 }, (2000 * 0.9 - 4000 * 0.25) * 3],
  [
    'writes for an hour',
    {
      cache_write_tokens: 4000,
      kinds: [{ kind: 'long_cache_write' as const, tokens: 1000, ratio: 2 }],
    },
    -(3000 * 0.25 + 1000) * 3,
  ],
  [
    'reads beside audio',
    {
      cached_tokens: 2000,
      kinds: [{ kind: 'audio_prompt' as const, tokens: 3000, ratio: 8 }],
    },
    2000 * 0.9 * 3,
  ],
  ['reads of a model without a price for them', { cached_tokens: 8000, cache_ratio: 1 }, 0],
])('%s', (_, part, expected) => {
  expect(cacheSavings({ ...claude, ...part })).toBeCloseTo(expected, 6)
})
