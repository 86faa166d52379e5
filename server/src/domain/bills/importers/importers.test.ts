import { describe, expect, test } from 'vitest'
import { anthropicCosts, anthropicUsage } from './anthropic.ts'
import { gatewayLog } from './gateway.ts'
import type { Importer } from './importer.ts'
import { IMPORTERS } from './importers.ts'
import { openaiCosts, openaiUsage } from './openai.ts'
import { openRouter } from './openrouter.ts'

const DAY = 86_400
const FROM = Date.UTC(2026, 10, 20) / 1000
const SPAN = { from: FROM, to: FROM + 2 * DAY }
const source = { key: 'admin', account: '7' }

/** The query of a request, as an object. */
const asked = (importer: Importer, cursor = importer.first(SPAN), span = SPAN) => {
  const { path, headers } = importer.request(source, span, cursor)
  const url = new URL(path, 'https://vendor.example')
  return { path: url.pathname, query: [...url.searchParams], headers }
}

const read = (importer: Importer, json: unknown, cursor = importer.first(SPAN)) =>
  importer.read(json, SPAN, cursor)

describe('OpenAI', () => {
  const page = (
    results: readonly object[],
    more: object = { has_more: false, next_page: null },
  ) => ({
    object: 'page',
    data: [{ object: 'bucket', start_time: FROM, end_time: FROM + DAY, results }],
    ...more,
  })
  const cost = (line_item: string, changes: object = {}) => ({
    amount: { value: 0.06, currency: 'usd' },
    line_item,
    api_key_id: 'key_1',
    quantity: 1200,
    quantity_unit: 'tokens',
    ...changes,
  })

  test('costs are asked for by whole days, line item and key', () => {
    const noon = { from: FROM + 3600, to: FROM + DAY + 3600 }
    expect(asked(openaiCosts, 'next', noon)).toEqual({
      path: '/v1/organization/costs',
      query: [
        ['start_time', String(FROM)],
        ['end_time', String(FROM + 2 * DAY)],
        ['bucket_width', '1d'],
        ['limit', '180'],
        ['group_by[]', 'line_item'],
        ['group_by[]', 'api_key_id'],
        ['page', 'next'],
      ],
      headers: { authorization: 'Bearer admin' },
    })
  })

  test('a line item gives the model and the kind of its tokens', () => {
    const json = page([
      cost('gpt-6-astra, input'),
      cost('gpt-6-astra, cached input', { quantity: 2, quantity_unit: '1000_tokens' }),
      cost('gpt-6-astra, cache_write_tokens', { api_key_id: null }),
      cost('gpt-6-astra, output_tokens', { amount: { value: 1e-7, currency: 'usd' } }),
      cost('web search tool calls', { quantity_unit: null }),
    ])
    expect(read(openaiCosts, json)?.lines).toMatchObject([
      { model: 'gpt-6-astra', key: 'key_1', input: 1200, cached: null, amount: 60_000_000 },
      { input: 2000, cached: 2000, output: null },
      { input: 1200, written: 1200, key: '' },
      { input: null, output: 1200, amount: 100, currency: 'USD' },
      { model: '', item: 'web search tool calls', input: null, from: FROM, to: FROM + DAY },
    ])
  })

  test('usage reads every report and page', () => {
    const use = { input_tokens: 9, input_cached_tokens: 4, output_tokens: 2, num_model_requests: 3 }
    const more = { has_more: true, next_page: 'abc' }
    const first = read(openaiUsage, page([{ ...use, model: 'gpt-6', api_key_id: null }], more))
    expect(first).toMatchObject({
      lines: [{ model: 'gpt-6', input: 9, cached: 4, output: 2, requests: 3, amount: null }],
      next: 'completions abc',
    })
    expect(asked(openaiUsage, 'completions abc').query).toContainEqual(['page', 'abc'])
    expect(read(openaiUsage, page([]), 'completions abc')?.next).toBe('embeddings')
    expect(asked(openaiUsage, 'embeddings').path).toBe('/v1/organization/usage/embeddings')
    expect(read(openaiUsage, page([]), 'embeddings')?.next).toBeNull()
  })

  test.each([
    ['an error', { error: { message: 'no' } }],
    ['more pages without a next one', page([], { has_more: true, next_page: null })],
    [
      'an amount that is no number',
      page([cost('a, input', { amount: { value: 'x', currency: 'usd' } })]),
    ],
  ])('%s is refused', (_, json) => {
    expect(read(openaiCosts, json)).toBeNull()
  })
})

describe('Anthropic', () => {
  const page = (results: readonly object[]) => ({
    data: [{ starting_at: '2026-11-20T00:00:00Z', ending_at: '2026-11-21T00:00:00Z', results }],
    has_more: true,
    next_page: 'page_2',
  })

  test('costs are decimal cents', () => {
    const row = { currency: 'USD', model: 'claude-opus-5', cost_type: 'tokens' }
    const results = [{ ...row, amount: '123.456', description: 'Claude Opus 5 Usage - Input' }]
    expect(read(anthropicCosts, page(results))).toMatchObject({
      lines: [
        { model: 'claude-opus-5', amount: 1_234_560_000, from: FROM, to: FROM + DAY, key: '' },
      ],
      next: 'page_2',
    })
    expect(asked(anthropicCosts)).toMatchObject({
      path: '/v1/organizations/cost_report',
      headers: { 'x-api-key': 'admin', 'anthropic-version': '2023-06-01' },
    })
    expect(read(anthropicCosts, page([{ ...row, amount: 'much' }]))).toBeNull()
  })

  test('input includes tokens that were read from the cache and written to it', () => {
    const results = [
      {
        uncached_input_tokens: 100,
        cache_read_input_tokens: 30,
        cache_creation: { ephemeral_5m_input_tokens: 5, ephemeral_1h_input_tokens: 7 },
        output_tokens: 11,
        model: 'claude-opus-5',
        api_key_id: 'apikey_1',
      },
    ]
    expect(read(anthropicUsage, page(results))?.lines).toMatchObject([
      { input: 142, cached: 30, written: 12, output: 11, key: 'apikey_1', amount: null },
    ])
    expect(asked(anthropicUsage, 'page_2').query).toEqual([
      ['starting_at', '2026-11-20T00:00:00.000Z'],
      ['ending_at', '2026-11-22T00:00:00.000Z'],
      ['bucket_width', '1h'],
      ['limit', '168'],
      ['page', 'page_2'],
      ['group_by[]', 'model'],
      ['group_by[]', 'api_key_id'],
    ])
  })
})

test('OpenRouter is asked day by day, and answers for other days are refused', () => {
  const row = {
    date: '2026-11-20',
    model: 'openai/gpt-6',
    model_permaslug: 'openai/gpt-6-2026-03-05',
    provider_name: 'OpenAI',
    endpoint_id: 'e1',
    usage: 0.015,
    byok_usage_inference: 3,
    requests: 5,
    prompt_tokens: 50,
    completion_tokens: 125,
    reasoning_tokens: 25,
  }
  expect(asked(openRouter)).toMatchObject({
    path: '/api/v1/activity',
    query: [['date', '2026-11-20']],
  })
  const first = read(openRouter, { data: [row] })
  expect(first).toMatchObject({
    lines: [{ model: 'openai/gpt-6-2026-03-05', amount: 15_000_000, input: 50, output: 125 }],
    next: String(FROM + DAY),
  })
  expect(read(openRouter, { data: [row] }, String(FROM + DAY))).toBeNull()
  expect(read(openRouter, { data: [] }, String(FROM + DAY))).toEqual({ lines: [], next: null })
})

describe('another gateway', () => {
  const cursor = (page: number) => JSON.stringify({ unit: 500_000, page })
  const row = (changes: object = {}) => ({
    created_at: FROM + 5,
    type: 2,
    model_name: 'gpt-6',
    token_name: 'ours',
    quota: 1000,
    prompt_tokens: 100,
    completion_tokens: 20,
    request_id: 'r1',
    other: JSON.stringify({ cache_tokens: 40, model_ratio: 1 }),
    ...changes,
  })

  test('the unit is asked for first, because operators change it', () => {
    expect(asked(gatewayLog)).toEqual({ path: '/api/status', query: [], headers: {} })
    expect(read(gatewayLog, { data: { quota_per_unit: 500_000 } })?.next).toBe(cursor(0))
    expect(read(gatewayLog, { data: {} })).toBeNull()
    expect(asked(gatewayLog, cursor(0))).toMatchObject({
      path: '/api/log/self',
      headers: { authorization: 'Bearer admin', 'new-api-user': '7' },
    })
    expect(asked(gatewayLog, cursor(2)).query).toEqual([
      ['type', '2'],
      ['start_timestamp', String(FROM)],
      ['end_timestamp', String(FROM + 2 * DAY - 1)],
      ['p', '2'],
      ['page', '2'],
      ['page_size', '100'],
      ['size', '100'],
    ])
  })

  test.each([
    ['One API', { data: [row()] }, 1],
    ['New API', { data: { items: [row()], page: 1, page_size: 100, total: 1 } }, 2],
    ['one-hub', { data: { data: [row()], page: 1, size: 100, total_count: 1 } }, 2],
  ])('%s pages on until a page is empty', (_, answer, next) => {
    const page = gatewayLog.read({ success: true, ...answer }, SPAN, cursor(0))
    expect(page?.next).toBe(cursor(next))
    expect(page?.lines).toMatchObject([
      { id: 'r1', key: 'ours', input: 100, cached: 40, output: 20, amount: 2_000_000, requests: 1 },
    ])
    expect(gatewayLog.read({ success: true, data: [] }, SPAN, cursor(next))?.next).toBeNull()
  })

  test('prompt tokens of Claude exclude the cache, and refusals are no empty pages', () => {
    const other = { claude: true, cache_tokens: 40, cache_creation_tokens: 10 }
    const data = [row({ other }), row({ type: 5 })]
    const page = gatewayLog.read({ success: true, data }, SPAN, cursor(0))
    expect(page?.lines).toMatchObject([{ input: 150, cached: 40, written: 10 }])
    const refusal = { success: false, message: 'bad token', data: null }
    expect(gatewayLog.read(refusal, SPAN, cursor(0))).toBeNull()
  })
})

test('every kind of bill but files has an API', () => {
  const without = Object.entries(IMPORTERS).filter(([, importer]) => importer === null)
  expect(without.map(([kind]) => kind)).toEqual(['csv'])
})
