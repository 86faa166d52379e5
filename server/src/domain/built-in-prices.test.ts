import { expect, test } from 'vitest'
import { OPTIONS } from '@tollgate/contract'
import { builtInPricesAt } from '@tollgate/contract/prices'
import { findPrice } from './find-price.ts'
import { basisOf, costOf } from './price.ts'

const options = {
  ModelRatio: {},
  CompletionRatio: {},
  CacheRatio: {},
  CacheWriteRatio: {},
  AudioRatio: {},
  AudioCompletionRatio: {},
  ImageRatio: {},
  DefaultModelRatio: OPTIONS.DefaultModelRatio.default,
  ModelPrice: {},
  QuotaPerUnit: 500_000,
  prices: builtInPricesAt(Date.parse('2026-11-27T08:00:00Z')).prices,
}

const USAGE = {
  promptTokens: 10_000,
  cachedTokens: 4000,
  cacheWriteTokens: 1000,
  completionTokens: 2000,
  reasoningTokens: 0,
}

/** Dollars per million tokens. */
type Dollars = {
  input: number
  output: number
  cached?: number
  write?: number
  longWrite?: number
}

const QUOTA_PER_DOLLAR = 500_000

function priceOf(model: string) {
  const price = findPrice({ requested: model, mapped: model, options })
  if (price === null) throw new Error('no price')
  return price
}

/** What the vendor charges, rounded up to a whole unit. Ratios have nine decimals. */
function expectCharge(usage: typeof USAGE, model: string, dollars: Dollars) {
  const { input, output, cached = input, write = input } = dollars
  const { promptTokens, cachedTokens, cacheWriteTokens, completionTokens } = usage
  const fresh = promptTokens - cachedTokens - cacheWriteTokens
  const bill = fresh * input + cachedTokens * cached + cacheWriteTokens * write
  const exact = ((bill + completionTokens * output) / 1e6) * QUOTA_PER_DOLLAR
  const cost = costOf(usage, priceOf(model), 1)
  expect(cost, model).toBeGreaterThan(exact - 0.001)
  expect(cost, model).toBeLessThan(exact + 1.001)
}

/** Model, then dollars per million: input, output, cached, cache write, long cache write. */
const LISTED: Readonly<Record<string, readonly number[]>> = {
  'gpt-6.2-astra': [8, 40, 0.4, 10, 20],
  'gpt-6.2-sol': [2, 10, 0.1, 2.5, 5],
  'gpt-6.1-sol': [2, 10, 0.1, 2.5, 5],
  'gpt-6.1-terra': [1, 5, 0.05, 1.25, 2.5],
  'gpt-6-astra': [10, 50, 1, 12.5, 25],
  'gpt-6-sol': [2, 10, 0.2, 2.5, 5],
  'gpt-6-luna': [0.1, 0.5, 0.01, 0.125, 0.25],
  'gpt-6-cyber': [20, 100, 2, 25, 50],
  'gpt-6-rosalind': [15, 75, 1.5, 18.75, 37.5],
  'gpt-6-astra-law': [10, 50, 1],
  'gpt-5.6': [4, 20, 0.4, 5, 10],
  'gpt-5.6-sol': [4, 20, 0.4, 5, 10],
  'gpt-5.6-cyber': [12.5, 75, 1.25, 15.625, 31.25],
  'gpt-5.5-cyber': [12.5, 75, 1.25],
  'gpt-daybreak-blue-latest': [4, 20, 0.4, 5],
  'gpt-daybreak-red-latest': [12.5, 75, 1.25, 15.625],
  'gpt-rosalind-research': [5, 25, 0.5],
  'gpt-rosalind-discovery': [5, 25, 0.5],
  'gpt-image-2.5-flare': [5, 30, 1.25],
  'gpt-image-2.5-sunburst': [5, 30, 1.25],
  'gpt-image-2.6-sunburst': [5, 30, 1.25],
  'gpt-4o': [2.5, 10, 1.25],
  'chat-latest': [5, 30, 0.5],
  'gpt-5.4-2026-03-05': [2.5, 15, 0.25],
  'gpt-4.1-2025-04-14': [2, 8, 0.5],
  'o3-2025-04-16': [2, 8, 0.5],
  'gpt-image-2.6-flare': [5, 30, 1.25],
  'gpt-image-1-mini': [2, 8, 0.2],
  'gpt-4o-transcribe': [2.5, 10],
  'claude-fable-5-2': [8, 40, 0.2, 10, 16],
  'claude-mythos-5-2': [8, 40, 0.2, 10, 16],
  'claude-mythos-5-1': [10, 50, 0.25, 12.5, 20],
  'claude-mythos-5': [10, 50, 1, 12.5, 20],
  'claude-opus-5-5': [4, 20, 0.2, 5, 8],
  'claude-haiku-5-5': [0.1, 0.5, 0.01, 0.125, 0.2],
  'gemini-4-neon': [3, 15, 0.15],
  'gemini-4-argon': [2, 10, 0.1],
  'gemini-pro-latest': [2, 12, 0.2],
  'gemini-flash-latest': [0.75, 3.75, 0.075],
  'gemini-flash-lite-latest': [0.3, 2.5, 0.03],
  'gemini-3.8-flash-lite-tts': [0.5, 6, 0.125],
  'gemini-4-hydrogen': [1.5, 7.5, 0.075],
  'gemini-3.6-flash': [0.75, 3.75, 0.075],
  'gemini-3.1-flash-lite': [0.25, 1.5, 0.025],
  'gemini-2.5-flash-image': [0.3, 30, 0.03],
  'gemini-3.8-live': [0.75, 4.5],
  'gemini-3.8-flash-tts': [0.5, 9, 0.125],
  'gemini-2.5-flash-tts': [0.5, 10],
  'gemini-3.5-transcribe-preview': [2, 12],
  'qwen-audio-3.1-tts-flash': [0.23, 1.87],
  'gemini-embedding-2': [0.2, 0],
  'deepseek-flash': [0.3, 1.2, 0.006],
  'deepseek-v4-flash': [0.3, 1.2, 0.006],
  'deepseek-v4-pro': [1.32, 3.96, 0.044],
  'deepseek-v4-flash-vision-exp': [0.3, 1.2, 0.006],
  'grok-4.7': [2, 6, 0.5],
  'grok-4.6': [2, 6, 0.5],
  'grok-4.5': [2, 6, 0.3],
  'grok-4.20-reasoning': [1.25, 2.5, 0.2],
  'grok-build-0.1': [1, 2, 0.2],
  'mistral-medium-latest': [1.5, 7.5, 0.15],
  'mistral-medium-3.5': [1.5, 7.5, 0.15],
  'mistral-medium-2604': [1.5, 7.5, 0.15],
  'mistral-large-4': [0.7, 2.1, 0.07],
  'mistral-large-latest': [0.5, 1.5, 0.05],
  'magistral-medium-latest': [2, 5, 0.2],
  'magistral-small-latest': [0.5, 1.5],
  'open-mistral-nemo': [0.15, 0.15, 0.015],
  'ministral-3b-latest': [0.1, 0.1, 0.01],
  'ministral-8b-latest': [0.15, 0.15, 0.015],
  'ministral-14b-latest': [0.2, 0.2, 0.02],
  'codestral-latest': [0.3, 0.9, 0.03],
  'codestral-embed': [0.15, 0],
  'glm-4-flash': [0, 0],
  'kimi-k3': [3, 15, 0.3, 3, 6],
  'kimi-for-coding': [3, 15, 0.3, 3, 6],
  'kimi-k3.1-pro': [2, 10, 0.2, 2, 4],
  'kimi-k3.1-pro-highspeed': [4, 20, 0.2, 4, 8],
  'kimi-k2.7-code-highspeed': [1.9, 8, 0.38],
  'qwen3.8-max': [2, 6, 0.25],
  'qwen3.8-flash': [0.15, 0.47, 0.016, 0.2],
  'qwen3.8-27b': [0.5, 3, 0.1, 0.625],
  'qwen3.7-max': [2.5, 7.5, 0.5, 3.125],
  'qwen3.7-plus': [0.4, 1.6, 0.08, 0.5],
  'qwen3.5-flash': [0.1, 0.4, 0.01, 0.125],
  'MiniMax-M3.1-Flash': [0.15, 0.6, 0.015],
  'MiniMax-M2.1-highspeed': [0.6, 2.4, 0.03, 0.375],
  'command-a-plus-05-2026': [2.5, 10],
  'command-a-03-2025': [2.5, 10],
  'command-r-08-2024': [0.15, 0.6],
  'command-r7b-12-2024': [0.0375, 0.15],
  'embed-v5.0-pro': [0.12, 0],
  'embed-v5.0-fast': [0.08, 0],
  'rerank-v5.0-pro': [0.05, 0],
  'rerank-v5.0-fast': [0.02, 0],
  'qwen/qwen3.8-27b': [0.8, 4],
  'qwen-3.8-27b': [0.99, 1.49],
  'gemma-4-31b': [0.99, 1.49],
  'rerank-3': [0.05, 0],
  'jina-reranker-v3.5': [0.05, 0],
  'muse-spark-1.3': [1.25, 4.25, 0.15],
  'muse-wonder-1.0': [4, 20, 0.2],
}

test.each(Object.entries(LISTED))('%s costs what its vendor lists', (model, listed) => {
  const [input = 0, output = 0, cached = input, write = input, longWrite] = listed
  const ratios = [output, cached, write].map((part) => (input === 0 ? 1 : part / input))
  const price = priceOf(model)
  expect(price.model_ratio).toBeCloseTo(input / 2, 9)
  expect([price.completion_ratio, price.cache_ratio, price.cache_write_ratio]).toEqual(
    ratios.map((ratio) => expect.closeTo(ratio, 8)),
  )
  expectCharge(USAGE, model, { input, output, cached, write })
  const kinds = [{ kind: 'long_cache_write', tokens: 1000 }] as const
  const long = longWrite ?? (write > input ? write * 1.6 : write)
  const bill = 5000 * input + 4000 * cached + 1000 * long + 2000 * output
  const cost = costOf({ ...USAGE, kinds }, price, 1)
  expect(Math.abs(cost - bill / 2), 'written for long').toBeLessThan(1.001)
})

/** Yuan per million: input, output, cached. Seven are a dollar. */
test.each([
  ['glm-5.3', 8, 28, 2],
  ['glm-5.2', 8, 28, 2],
  ['glm-5.3-flash', 0.8, 2.8, 0.23],
  ['glm-5.3-flashx', 2, 7, 0.57],
  ['qwen3.6-plus', 2, 12, 0.4],
  ['qwen3.5-plus', 0.8, 4.8, 0.16],
  ['qwen3-max', 2.5, 10, 0.5],
  ['qwen-max', 2.4, 9.6, 0.48],
  ['qwen-plus', 0.8, 2, 0.16],
  ['qwen-turbo', 0.3, 0.6, 0.06],
  ['qwen-long', 0.5, 2, 0.1],
])('%s costs what its vendor lists in yuan', (model, input, output, cached) => {
  expectCharge(USAGE, model, { input: input / 7, output: output / 7, cached: cached / 7 })
})

/** The last prompt at the lower price, and dollars per million beyond: input, output, cached. */
test.each([
  ['gpt-6.2-astra', 272_000, 16, 60, 0.8],
  ['gpt-6.1-sol', 272_000, 4, 15, 0.2],
  ['gpt-6-sol', 272_000, 4, 15, 0.4],
  ['gpt-6-luna', 272_000, 0.2, 0.75, 0.02],
  ['gpt-5.6-sol', 272_000, 8, 30, 0.8],
  ['claude-haiku-5-5', 100_000, 0.5, 2.5, 0.05],
  // xAI's boundary is part of the dearer tier.
  ['grok-4.3', 199_999, 2.5, 5, 0.4],
  ['grok-4.5', 199_999, 4, 12, 0.6],
  ['grok-4.7', 199_999, 4, 12, 1],
  ['qwen3-coder-flash', 32_000, 0.5, 2.5, 0.12],
  ['qwen3-coder-flash', 128_000, 0.8, 4, 0.2],
  ['qwen3-coder-flash', 256_000, 1.6, 9.6, 0.4],
])('%s costs more beyond a prompt of %d tokens', (model, most, input, output, cached) => {
  const usage = { ...USAGE, cacheWriteTokens: 0 }
  expectCharge({ ...usage, promptTokens: most + 1 }, model, { input, output, cached })
  const below = costOf({ ...usage, promptTokens: most }, priceOf(model), 1)
  expect(below).toBeLessThan(costOf({ ...usage, promptTokens: most + 1 }, priceOf(model), 1) / 1.3)
})

test('a cache write for an hour costs more in a long prompt too, BerriAI/litellm#15055', () => {
  const kinds = [{ kind: 'long_cache_write', tokens: 50_000 }] as const
  const written = { cachedTokens: 0, cacheWriteTokens: 50_000, completionTokens: 0, kinds }
  const cost = (promptTokens: number) =>
    costOf({ ...USAGE, ...written, promptTokens }, priceOf('claude-haiku-5-5'), 1)
  // $0.10 for input and $0.20 for a write; five times as much beyond 100 000 tokens.
  expect(cost(100_000)).toBe((50_000 * 0.1 + 50_000 * 0.2) / 2)
  expect(cost(150_000)).toBe((100_000 * 0.5 + 50_000 * 1) / 2)
})

test('a model whose context has no dearer part costs the same at any length', () => {
  const usage = { ...USAGE, cachedTokens: 0, cacheWriteTokens: 0, promptTokens: 250_000 }
  expectCharge(usage, 'claude-sonnet-4-5', { input: 3, output: 15 })
})

test.each([
  ['gpt-image-1-mini', 'image_prompt', 2.5],
  ['gemini-3.1-flash-lite', 'audio_prompt', 0.5],
  ['gemini-2.5-flash-image', 'audio_prompt', 1],
  ['gpt-audio-1.5', 'audio_prompt', 32],
  ['gpt-audio-1.5', 'audio_completion', 64],
  ['gpt-realtime-1.5', 'audio_completion', 64],
] as const)('of %s, %s tokens cost $%f per million', (model, kind, dollars) => {
  const usage = { ...USAGE, cachedTokens: 0, cacheWriteTokens: 0 }
  const { cost, kinds, model_ratio } = basisOf({
    usage: { ...usage, kinds: [{ kind, tokens: 1000 }] },
    usageSource: 'reported',
    price: priceOf(model),
    group: 'default',
    groupRatio: 1,
    held: 0,
  })
  expect((kinds?.[0]?.ratio ?? 0) * model_ratio * 2).toBeCloseTo(dollars, 8)
  expect(cost).not.toBe(costOf(usage, priceOf(model), 1))
})

test.each([
  ['gpt-transcribe', 200, 0.0045],
  ['gpt-live-transcribe', 200, 0.017],
  ['whisper-1', 200, 0.006],
  ['voxtral-mini-transcribe-3', 200, 0.0035],
  ['dall-e-3', 1000, 0.04],
  ['rerank-v4.0-pro', 1000, 0.0025],
])('%s costs %d tokens a piece, which are $%f', (model, tokens, dollars) => {
  const usage = { ...USAGE, promptTokens: tokens, completionTokens: 0 }
  const piece = { ...usage, cachedTokens: 0, cacheWriteTokens: 0 }
  expect(costOf(piece, priceOf(model), 1)).toBe(dollars * QUOTA_PER_DOLLAR)
})

test("an operator's own price of cache writes goes before the built-in one for long writes", () => {
  const own = { ...options, CacheWriteRatio: { 'kimi-k3': 1.25, 'claude-opus-5-5': 1 } }
  const ratioOf = (model: string) =>
    findPrice({ requested: model, mapped: model, options: own })?.kind_ratios?.long_cache_write
  expect(ratioOf('kimi-k3')).toBe(2)
  expect(ratioOf('claude-opus-5-5')).toBeUndefined()
  expect(ratioOf('kimi-k3.1-pro')).toBe(2)
  expect(ratioOf('gpt-6.1-sol')).toBe(2.5)
})

/** Model, tier, and dollars per million at that tier: input, output, cached. */
test.each([
  ['gpt-6.2-sol', 'priority', 4, 20, 0.2],
  ['gpt-6.2-astra', 'ultrafast', 24, 120, 1.2],
  ['gpt-6.1-sol', 'ultrafast', 12, 60, 0.6],
  ['gpt-5.5', 'priority', 12.5, 75, 1.25],
  ['gpt-5.4', 'flex', 1.25, 7.5, 0.13],
  ['gpt-5-mini', 'priority', 0.45, 3.6, 0.045],
  ['o4-mini', 'flex', 0.55, 2.2, 0.138],
  ['gpt-4o', 'batch', 1.25, 5, 0.625],
  // BerriAI/litellm#37046: snapshots had no price of this tier.
  ['gpt-4o-2024-11-20', 'priority', 4.25, 17, 2.125],
  ['gpt-4.1-2025-04-14', 'priority', 3.5, 14, 0.875],
  ['claude-opus-5-5', 'fast', 8, 40, 0.4],
  ['claude-fable-5-2', 'batch', 4, 20, 0.1],
  ['gemini-3.8-flash', 'priority', 1.35, 6.75, 0.135],
  ['gemini-2.5-pro', 'flex', 0.625, 5, 0.125],
  ['grok-4.7', 'batch', 1.6, 4.8, 0.4],
])('%s costs its own price at the tier %s', (model, tier, input, output, cached) => {
  const price = { ...priceOf(model), asked: { tier } }
  const usage = { ...USAGE, cacheWriteTokens: 0 }
  const bill = (6000 * input + 4000 * cached + 2000 * output) / 1e6
  const cost = costOf(usage, price, 1, { tier })
  expect(Math.abs(cost - bill * QUOTA_PER_DOLLAR)).toBeLessThan(1.01)
})

test('Ultrafast of GPT-6.2 costs six times the standard tier from March 2027 on', () => {
  const { prices } = builtInPricesAt(Date.parse('2027-03-01T00:00:00Z'))
  expect(prices.get('gpt-6.2-sol')).toMatchObject({
    model_ratio: 1,
    tiers: { ultrafast: { input: 6, output: 6 }, priority: { input: 2, output: 2 } },
  })
})

test.each([
  ['gpt-6-sol', 'web_search', 0.01],
  ['gpt-4.1', 'web_search', 0.025],
  ['gpt-6-sol', 'code_interpreter', 0.03],
  ['claude-opus-5-5', 'web_search', 0.01],
  ['gemini-4-neon', 'google_search', 0.014],
  ['gemini-2.5-flash', 'google_search_prompt', 0.035],
  ['gemini-2.5-pro', 'google_maps_prompt', 0.025],
  ['grok-4.7', 'x_search', 0.005],
  ['gpt-4o-search-preview', 'search_answer', 0.025],
  ['sonar-pro', 'search_answer_medium', 0.01],
])('of %s, a call of %s costs $%f', (model, tool, dollars) => {
  expect(priceOf(model).tools?.[tool]).toBeCloseTo(dollars * QUOTA_PER_DOLLAR, 6)
})

test('one generation of Gemini has one way to count its searches', () => {
  for (const [model, { tools = {} }] of options.prices) {
    expect('google_search' in tools && 'google_search_prompt' in tools, model).toBe(false)
  }
})
