import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mergeReports, parseUsage } from './usage.ts'

const usage = (changes = {}) => ({
  promptTokens: 100,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  completionTokens: 20,
  reasoningTokens: 0,
  ...changes,
})
const details = (prompt: object, completion: object = {}) => ({
  prompt_tokens_details: prompt,
  completion_tokens_details: completion,
})
const reported = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }

test.each([
  ['the plain form', {}, {}],
  [
    'an embedding, which has no completion',
    { completion_tokens: undefined, total_tokens: 100 },
    { completionTokens: 0 },
  ],
  ['a prompt of 0 when there is output', { prompt_tokens: 0 }, { promptTokens: 0 }],
  [
    'cache writes and reasoning',
    details({ cached_tokens: 40, cache_write_tokens: 50 }, { reasoning_tokens: 15 }),
    { cachedTokens: 40, cacheWriteTokens: 50, reasoningTokens: 15 },
  ],
  [
    'reasoning that a vendor counts only in the total',
    { ...details({}, { reasoning_tokens: 300 }), total_tokens: 420 },
    { completionTokens: 320, reasoningTokens: 300 },
  ],
  [
    'no more from the cache than the prompt has, so that no part of the price is negative',
    details({ cached_tokens: 90, cache_write_tokens: 90 }),
    { cachedTokens: 90, cacheWriteTokens: 10 },
  ],
  [
    'no more reasoning than output',
    details({}, { reasoning_tokens: 500 }),
    { reasoningTokens: 20 },
  ],
  ['no invalid details', details({ cached_tokens: -5, cache_write_tokens: 'many' }, []), {}],
])('reads %s', (_what, given, changes) => {
  expect(parseUsage({ ...reported, ...given })).toEqual(usage(changes))
})

test.each([
  ['OpenAI', { prompt_tokens_details: { cached_tokens: 40 } }],
  ['Mistral', { prompt_token_details: { cached_tokens: 40 } }],
  ['Mistral, flat', { num_cached_tokens: 40 }],
  ['Moonshot', { cached_tokens: 40 }],
  ['DeepSeek', { prompt_cache_hit_tokens: 40, prompt_cache_miss_tokens: 60 }],
])('reads cached tokens as %s reports them', (_vendor, form) => {
  expect(parseUsage({ ...reported, ...form })).toEqual(usage({ cachedTokens: 40 }))
})

test.each([
  ['cache_write_tokens_details', { ttl_30m_tokens: 20, ttl_12h_tokens: 30 }, 30],
  ['cache_write_tokens_details', { ttl_12h_tokens: 70 }, 50],
  ['long_cache_write_tokens', 30, 30],
])('reads what is cached for long from %s', (name, value, tokens) => {
  const given = { ...reported, ...details({ cache_write_tokens: 50, [name]: value }) }
  const kinds = [{ kind: 'long_cache_write', tokens }]
  expect(parseUsage(given)).toEqual(usage({ cacheWriteTokens: 50, kinds }))
})

test.each([
  ['in the total', { total_tokens: 620 }],
  ['with a total of the other parts', { total_tokens: 120 }],
  ['without a total', { total_tokens: undefined }],
])('adds a cache that is larger than the prompt, %s', (_title, total) => {
  const read = { prompt_tokens_details: { cached_tokens: 500 } }
  expect(parseUsage({ ...reported, ...read, ...total })).toEqual(
    usage({ promptTokens: 600, cachedTokens: 500 }),
  )
  const written = { cache_creation_input_tokens: 500 }
  expect(parseUsage({ ...reported, ...written, ...total })).toEqual(
    usage({ promptTokens: 600, cacheWriteTokens: 500 }),
  )
})

describe('a total with more than the parts', () => {
  const larger = { ...reported, total_tokens: 525 }

  test.each(['gemini-2.5-flash', 'google/gemini-3-pro-preview', 'gemini-flash-latest'])(
    'includes the reasoning of %s',
    (model) => {
      expect(parseUsage(larger, model)).toEqual(
        usage({ completionTokens: 425, reasoningTokens: 405 }),
      )
    },
  )

  test.each(['', 'gemini-2.0-flash', 'gpt-5', 'deepseek-v4-flash'])(
    'is ignored for %j',
    (model) => {
      expect(parseUsage(larger, model)).toEqual(usage())
    },
  )

  test('may include the cache twice', () => {
    const twice = { ...reported, ...details({ cached_tokens: 40 }), total_tokens: 160 }
    expect(parseUsage(twice, 'gemini-2.5-pro')).toEqual(usage({ cachedTokens: 40 }))
  })
})

describe('joined reports', () => {
  test.each([
    ['zeros at the end', { a: 20, b: 4000 }, { a: 0, b: 0, c: 3 }, { a: 20, b: 4000, c: 3 }],
    ['zeros at the beginning', { a: 0, c: 1 }, { a: 20, c: 3 }, { a: 20, c: 3 }],
    ['null', { a: 20 }, { a: null, c: 3 }, { a: 20, c: 3 }],
    ['numbers that grow', { a: 20, c: 1 }, { a: 20, c: 9 }, { a: 20, c: 9 }],
    ['parts', { d: { a: 5, b: 0 } }, { d: { a: 0, b: 2 } }, { d: { a: 5, b: 2 } }],
    ['parts and nothing', { d: { a: 5 } }, { d: null }, { d: { a: 5 } }],
    ['lists', { l: [{ a: 5 }] }, { l: [] }, { l: [{ a: 5 }] }],
    ['zeros alone', {}, { a: 0 }, { a: 0 }],
  ])('keep the last number that is not zero: %s', (_title, earlier, later, joined) => {
    expect(mergeReports(earlier, later)).toEqual(joined)
  })
})

const ODD = [-1, 1.5, '5', 2 ** 31 + 1, Number.NaN, Infinity, 1e300]

test.each<[unknown]>([
  [undefined],
  [null],
  ['12'],
  [[]],
  [{}],
  ...ODD.map((odd): [unknown] => [{ prompt_tokens: odd, completion_tokens: 5 }]),
  ...ODD.map((odd): [unknown] => [{ prompt_tokens: 5, completion_tokens: odd }]),
  [{ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }],
])('ignores %j', (value) => {
  expect(parseUsage(value)).toBeNull()
})

test('ignores the constant of FastGPT, but not a true 1 and 1', () => {
  expect(parseUsage({ prompt_tokens: 1, completion_tokens: 1, total_tokens: 1 })).toBeNull()
  expect(parseUsage({ prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 })).not.toBeNull()
})

test('gives only whole numbers in range and parts within their whole, for any input', () => {
  const number = fc.oneof(fc.double(), fc.integer(), fc.nat(), fc.constant(null), fc.string())
  const anyUsage = fc.record(
    {
      prompt_tokens: number,
      completion_tokens: number,
      total_tokens: number,
      cached_tokens: number,
      prompt_tokens_details: fc.record({ cached_tokens: number, cache_write_tokens: number }),
      completion_tokens_details: fc.record({ reasoning_tokens: number }),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(anyUsage, (value) => {
      const parsed = parseUsage(value)
      if (parsed === null) return
      const { promptTokens, completionTokens, kinds = [] } = parsed
      const { cachedTokens, cacheWriteTokens, reasoningTokens } = parsed
      const parts = [cachedTokens, cacheWriteTokens, reasoningTokens]
      const apart = kinds.map(({ tokens }) => tokens)
      for (const count of [promptTokens, completionTokens, ...parts, ...apart]) {
        expect(Number.isSafeInteger(count) && count >= 0).toBe(true)
      }
      expect(cachedTokens + cacheWriteTokens).toBeLessThanOrEqual(promptTokens)
      expect(reasoningTokens).toBeLessThanOrEqual(completionTokens)
    }),
  )
})

test('reads the names of the newer endpoints, and non-text tokens', () => {
  const value = {
    input_tokens: 100,
    output_tokens: 20,
    total_tokens: 120,
    input_token_details: {
      text_tokens: 40,
      audio_tokens: 60,
      cached_tokens: 30,
      cached_tokens_details: { text_tokens: 10, audio_tokens: 20 },
    },
    output_token_details: { text_tokens: 5, audio_tokens: 15 },
  }
  expect(parseUsage(value)).toEqual(
    usage({
      cachedTokens: 30,
      kinds: [
        { kind: 'audio_prompt', tokens: 40 },
        { kind: 'audio_completion', tokens: 15 },
      ],
    }),
  )
  const image = { input_tokens: 100, output_tokens: 20, input_tokens_details: { image_tokens: 70 } }
  expect(parseUsage(image)?.kinds).toEqual([{ kind: 'image_prompt', tokens: 70 }])
})

test('no kind has more tokens than the total', () => {
  const prompt = { cached_tokens: 40, audio_tokens: 500, image_tokens: 500 }
  const given = { ...reported, ...details(prompt, { audio_tokens: 500 }) }
  expect(parseUsage(given)?.kinds).toEqual([
    { kind: 'audio_prompt', tokens: 60 },
    { kind: 'audio_completion', tokens: 20 },
  ])
})
