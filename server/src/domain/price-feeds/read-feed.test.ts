import { describe, expect, test } from 'vitest'
import type { FeedKind } from '@tollgate/contract'
import { priceSections } from '@tollgate/contract/prices'
import { readFeed } from './read-feed.ts'

const read = (kind: FeedKind, json: unknown, group = 'default') => {
  const found = readFeed(kind, json, { group })
  return found && { ...Object.fromEntries(found.prices), ...Object.fromEntries(found.problems) }
}

const openai = (prices: object) => ({ litellm_provider: 'openai', mode: 'chat', ...prices })

/** A model that keeps a list usable. */
const sound = openai({ input_cost_per_token: 2e-6, output_cost_per_token: 1e-5 })

const litellm = (entries: object) => read('litellm', { sound, ...entries }) ?? {}

describe('each kind of feed is read in its units', () => {
  test("LiteLLM's map", () => {
    const sol = openai({
      input_cost_per_token: 2e-6,
      output_cost_per_token: 1e-5,
      cache_read_input_token_cost: 1e-7,
      cache_creation_input_token_cost: 2.5e-6,
      cache_creation_input_token_cost_above_12hr: 5e-6,
      input_cost_per_token_above_272k_tokens: 4e-6,
      output_cost_per_token_above_272k_tokens: 1.5e-5,
      cache_read_input_token_cost_above_272k_tokens: 2e-7,
      input_cost_per_token_batches: 1e-6,
    })
    const argon = { input_cost_per_token: 2e-6, output_cost_per_token: 1e-5 }
    const found = litellm({
      sample_spec: openai({ input_cost_per_token: 0 }),
      'gpt-6.2-sol': sol,
      'gemini/gemini-4-argon': { ...argon, litellm_provider: 'gemini' },
      'azure/gpt-6.2-sol': { ...argon, litellm_provider: 'azure' },
      'dall-e-3': { litellm_provider: 'openai', input_cost_per_image: 0.04 },
    })
    expect(found).toEqual({
      sound: { vendor: 'OpenAI', row: { input: 2, output: 10 } },
      'gpt-6.2-sol': {
        vendor: 'OpenAI',
        row: {
          input: 2,
          output: 10,
          cached: 0.1,
          cache_write: 2.5,
          cache_write_12h: 5,
          long: [{ above: 272_000, input: 4, output: 15, cached: 0.2 }],
        },
      },
      'gemini-4-argon': { vendor: 'Google Gemini', row: { input: 2, output: 10 } },
    })
  })

  test("LiteLLM's prices of pieces", () => {
    const of = (provider: string, prices: object) => ({ litellm_provider: provider, ...prices })
    const found = litellm({
      'tts-1': of('openai', { input_cost_per_character: 1.5e-5 }),
      'whisper-1': of('openai', { input_cost_per_second: 1e-4, output_cost_per_second: 1e-4 }),
      'rerank-v3.5': of('cohere', { input_cost_per_query: 0.002, input_cost_per_token: 0 }),
      'mistral/mistral-ocr-latest': of('mistral', { ocr_cost_per_page: 0.004 }),
      'rerank-3': of('jina_ai', { input_cost_per_query: 0.002 }),
      'dall-e-3': of('openai', { output_cost_per_image: 0.04 }),
      'hd/1024-x-1024/dall-e-3': of('openai', { output_cost_per_image: 0.08 }),
      'gpt-4o-mini-transcribe': of('openai', {
        input_cost_per_token: 1.25e-6,
        output_cost_per_token: 5e-6,
        input_cost_per_second: 5e-5,
      }),
      free: of('openai', { input_cost_per_token: 0, output_cost_per_token: 0 }),
      dear: of('openai', { output_cost_per_image: 1 }),
    })
    expect(found).toMatchObject({
      'tts-1': { row: { input: 15, output: 0 } },
      'whisper-1': { row: { per_minute: 0.006, output: 0 } },
      'rerank-v3.5': { row: { per_search: 0.002, output: 0 } },
      'mistral-ocr-latest': { row: { per_page: 0.004, output: 0 } },
      'dall-e-3': { row: { per_image: 0.04, output: 0 } },
      'gpt-4o-mini-transcribe': { row: { input: 1.25, output: 5 } },
      free: 'zero',
      dear: 'too_high',
    })
    expect(Object.keys(found)).not.toContain('rerank-3')
    expect(Object.keys(found)).not.toContain('hd/1024-x-1024/dall-e-3')
  })

  test('models.dev', () => {
    const models = {
      'grok-4.5': {
        cost: {
          input: 2,
          output: 6,
          cache_read: 0.3,
          context_over_200k: { input: 4, output: 12, cache_read: 0.6 },
        },
      },
      unknown: { limit: {} },
    }
    const reseller = { models: { 'grok-4.5': { cost: { input: 1, output: 1 } } } }
    expect(read('models_dev', { xai: { models }, reseller })).toEqual({
      'grok-4.5': {
        vendor: 'xAI',
        row: {
          input: 2,
          output: 6,
          cached: 0.3,
          long: [{ above: 200_000, input: 4, output: 12, cached: 0.6 }],
        },
      },
    })
  })

  test("OpenRouter's list", () => {
    const priced = (id: string, pricing: object) => ({ id, pricing })
    const data = [
      priced('openai/gpt-6.2-sol', {
        prompt: '0.000002',
        completion: '0.00001',
        input_cache_read: '0.0000001',
        audio: '0',
      }),
      priced('openai/gpt-6.2-sol:batch', { prompt: '0.000001', completion: '0.000005' }),
      priced('openrouter/auto', { prompt: '-1', completion: '-1' }),
    ]
    expect(read('openrouter', { data })).toEqual({
      'openai/gpt-6.2-sol': { vendor: 'OpenRouter', row: { input: 2, output: 10, cached: 0.1 } },
    })
  })

  test('the prices of another gateway, for the group of our key there', () => {
    const model = { model_name: 'gpt-6.2-sol', quota_type: 0, model_ratio: 1, completion_ratio: 5 }
    const json = {
      success: true,
      group_ratio: { default: 1, vip: 0.5 },
      data: [
        { ...model, cache_ratio: 0.05, owner_by: 'OpenAI' },
        { ...model, model_name: 'unpriced', model_ratio: 37.5 },
        { ...model, model_name: 'by-call', quota_type: 1, model_price: 0.1 },
        { ...model, model_name: 'by-formula', billing_expr: 'p * 2' },
      ],
    }
    const row = { input: 1, output: 5, cached: 0.05 }
    expect(read('gateway', json, 'vip')).toEqual({ 'gpt-6.2-sol': { vendor: 'OpenAI', row } })
    expect(read('gateway', { ...json, success: false })).toBeNull()
  })

  test('our own form, in any currency', () => {
    const long = [{ above: 200_000, inclusive: true, input: 28, output: 56 }]
    const row = { aliases: ['b'], input: 14, output: 28, long }
    const price = {
      vendor: 'Zhipu',
      row: { input: 2, output: 4, long: [{ above: 199_999, input: 4, output: 8 }] },
    }
    expect(read('tollgate', { Zhipu: { per_dollar: 7, models: { a: row } } })).toEqual({
      a: price,
      b: price,
    })
    const whole = read('tollgate', priceSections) ?? {}
    expect(whole['gpt-6.2-sol']).toMatchObject({ row: { input: 2, output: 10, cached: 0.1 } })
    expect(whole['whisper-1']).toEqual({ vendor: 'OpenAI', row: { per_minute: 0.006, output: 0 } })
    expect(Object.values(whole).filter((found) => found === 'negative')).toEqual([])
  })
})

test.each([
  ['a missing price', { output_cost_per_token: 1e-6, input_cost_per_token: null }, 'no_price'],
  ['a negative price', { input_cost_per_token: -1e-6, output_cost_per_token: 1e-6 }, 'negative'],
  ['text', { input_cost_per_token: '2e-6', output_cost_per_token: 1e-6 }, 'not_a_number'],
  ['a paid model that became free', { input_cost_per_token: 0, output_cost_per_token: 0 }, 'zero'],
  ['a price a thousand times too high', { input_cost_per_token: 2e-3 }, 'too_high'],
  ['output a thousand times too high', { ...sound, output_cost_per_token: 1e-2 }, 'too_high'],
  [
    'a price per million tokens',
    { input_cost_per_token: 2, output_cost_per_token: 10 },
    'too_high',
  ],
  [
    'cached input that costs more than other input',
    { ...sound, cache_read_input_token_cost: 1e-5 },
    'cached_above_input',
  ],
  [
    'a broken tier',
    { ...sound, input_cost_per_token_above_200k_tokens: -1, output_cost_per_token: 1e-5 },
    'negative',
  ],
])('%s is not used, and other prices are', (_, prices, problem) => {
  const found = litellm({ bad: openai(prices) })
  expect(found['bad']).toBe(problem)
  expect(found['sound']).toMatchObject({ row: { input: 2 } })
})

test('a price per token in a list of prices per million is not used', () => {
  const models = {
    ok: { cost: { input: 1, output: 2 } },
    bad: { cost: { input: 2e-6, output: 1e-5 } },
  }
  expect(read('models_dev', { openai: { models } })).toMatchObject({ bad: 'too_low' })
})

test('names that occur twice, also in another case, need the same price', () => {
  const other = openai({ input_cost_per_token: 3e-6, output_cost_per_token: 1e-5 })
  const found = litellm({ 'GLM-5.3': sound, 'glm-5.3': sound, 'Grok-5': sound, 'grok-5': other })
  expect(found['GLM-5.3']).toMatchObject({ row: { input: 2 } })
  expect(found['Grok-5']).toBe('duplicate')
  expect(found['grok-5']).toBe('duplicate')
})

test.each([null, [], 'text', 7, {}, { error: 'rate limited' }, { sound: 'free' }])(
  '%j is no list',
  (json) => {
    for (const kind of ['litellm', 'models_dev', 'openrouter', 'gateway', 'tollgate'] as const) {
      expect(read(kind, json)).toBeNull()
    }
  },
)
