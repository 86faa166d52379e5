import { describe, expect, test } from 'vitest'
import type { JsonRecord } from './bytes/json-value.ts'
import { cardOf, cardsWith } from './cards/card-of.ts'
import { descriptorOf } from './catalogue.ts'
import { type Api, type ApiChannel, type ApiRequest, chooseApi, takesNative } from './choose-api.ts'
import { problem } from './errors/request-problem.ts'

const CODEX = 'gpt-5-codex'
const TOOLS = { tools: [{ type: 'function', function: { name: 'f' } }] }

type More = Partial<Pick<ApiChannel, 'baseUrl' | 'other'> & ApiChannel['overrides']>

function channelOf(type: number, { apis = null, ...more }: More = {}): ApiChannel {
  const descriptor = descriptorOf(type)
  if (descriptor === undefined) throw new Error(`there is no channel type ${type}`)
  const { baseUrl = '', other = '', cardOf: lookup = cardOf } = more
  const overrides = { apis, cardOf: lookup }
  return { descriptor, baseUrl, other, overrides, apiMemory: { lacksResponses: false } }
}

const customAt = (baseUrl: string, more: More = {}) => channelOf(8, { baseUrl, ...more })
const serverAt = (baseUrl: string) => channelOf(1002, { baseUrl })

const requestOf = (outline: JsonRecord, isResponses = false): ApiRequest => ({
  endpoint: 'chat',
  outline,
  ...(isResponses ? { native: { dialect: 'responses' } } : {}),
})

const mine = 'https://llm.example.com'
const CLOUDFLARE = 'https://gateway.ai.cloudflare.com/v1/a/g/openai/'

describe('a client of Responses', () => {
  test.each<[string, ApiChannel, Api]>([
    ['OpenAI', channelOf(1), 'responses'],
    ['OpenAI in Europe', channelOf(1, { baseUrl: 'https://eu.api.openai.com/v1' }), 'responses'],
    ['a reseller', channelOf(1, { baseUrl: mine }), 'chat'],
    ["Cloudflare's gateway", channelOf(1, { baseUrl: CLOUDFLARE }), 'responses'],
    ['OpenAI by a custom channel', customAt('https://api.openai.com'), 'responses'],
    ['xAI', customAt('https://api.x.ai/v1'), 'responses'],
    ['OpenRouter', channelOf(20), 'responses'],
    ['a custom address', customAt(mine), 'chat'],
    ['one that offers both', customAt(mine, { apis: ['chat', 'responses'] }), 'responses'],
    ['OpenAI, where the operator says chat', channelOf(1, { apis: ['chat'] }), 'chat'],
    ['Azure, undated', channelOf(3, { baseUrl: mine, other: 'v1' }), 'responses'],
    ['Azure, dated', channelOf(3, { baseUrl: mine, other: '2024-10-21' }), 'chat'],
    ['the generic type', serverAt(mine), 'responses'],
    ['DeepSeek', customAt('https://api.deepseek.com'), 'chat'],
    ['Anthropic', channelOf(14, { apis: ['responses'] }), 'chat'],
  ])('%s', (_name, channel, api) => {
    expect(chooseApi(channel, requestOf({}, true), 'gpt-4.1')).toBe(api)
  })
})

describe('a client of another API', () => {
  const effort = (reasoning_effort: string) => ({ ...TOOLS, reasoning_effort })
  test.each<[string, JsonRecord, Api]>([
    ['gpt-4.1', TOOLS, 'chat'],
    ['gpt-5', effort('high'), 'chat'],
    ['gpt-5.4', TOOLS, 'chat'],
    ['gpt-5.4', effort('none'), 'chat'],
    ['gpt-5.4', effort('low'), 'responses'],
    ['gpt-5.4', { ...TOOLS, reasoning: { effort: 'low' } }, 'responses'],
    ['gpt-5.6-sol', { ...TOOLS, thinking: { type: 'disabled' } }, 'chat'],
    ['gpt-5.6-sol', TOOLS, 'responses'],
    ['gpt-5.6-sol', effort('none'), 'chat'],
    ['gpt-5.6-sol', { reasoning_effort: 'high' }, 'chat'],
    ['gpt-5.6-sol', { tools: [] }, 'chat'],
    ['gpt-5.6-sol', { ...TOOLS, stop: ['x'] }, 'responses'],
    ['gpt-5.6-sol', { ...TOOLS, n: 2 }, 'chat'],
    ['gpt-5.6-sol', { ...TOOLS, audio: { voice: 'a' } }, 'chat'],
    ['gpt-5.6-sol', { ...TOOLS, modalities: ['text', 'audio'] }, 'chat'],
    ['gpt-5.6-sol', { ...TOOLS, web_search_options: {} }, 'chat'],
    ['gpt-5.6-sol', { tools: [{ type: 'web_search' }] }, 'chat'],
    [CODEX, {}, 'responses'],
    [CODEX, { n: 2 }, 'responses'],
    ['o3-pro', {}, 'responses'],
  ])('%s %j', (model, outline, api) => {
    expect(chooseApi(channelOf(1), requestOf(outline), model)).toBe(api)
  })

  const own = cardsWith({ 'gpt-4.1': { reasoning: { inChat: 'no_chat' } } })
  test.each<[string, ApiChannel, ApiRequest, string, Api]>([
    ['another endpoint', channelOf(1), { ...requestOf({}), endpoint: 'embeddings' }, CODEX, 'chat'],
    ['OpenRouter, which translates', channelOf(20), requestOf(TOOLS), 'openai/gpt-5.6-sol', 'chat'],
    ['a custom address', customAt(mine), requestOf(TOOLS), 'gpt-5.6-sol', 'chat'],
    ["the operator's card", channelOf(1, { cardOf: own }), requestOf({}), 'gpt-4.1', 'responses'],
    ['Responses alone', customAt('', { apis: ['responses'] }), requestOf({}), 'm', 'responses'],
  ])('%s', (_name, channel, request, model, api) => {
    expect(chooseApi(channel, request, model)).toBe(api)
  })

  test('a reseller is tried where chat would refuse, until it answers that it has no Responses', () => {
    const reseller = channelOf(1, { baseUrl: mine })
    expect(chooseApi(reseller, requestOf(TOOLS), 'gpt-5.6-sol')).toBe('responses')
    const known = { ...reseller, apiMemory: { lacksResponses: true } }
    expect(chooseApi(known, requestOf(TOOLS), 'gpt-5.6-sol')).toBe('chat')
  })
})

describe('a request to compact a conversation', () => {
  const native = { dialect: 'responses', compacts: true } as const
  test.each([
    ['OpenAI', channelOf(1), 'gpt-5.6-sol', true],
    ['a server that forwards to OpenAI', serverAt('https://a.b'), 'gpt-5', true],
    ['Azure', channelOf(3, { baseUrl: 'https://a.b', other: 'v1' }), 'any', true],
    ['xAI', customAt('https://api.x.ai/v1'), 'grok-4', true],
    ['OpenRouter', channelOf(20), 'openai/gpt-5', false],
    ['DeepSeek', serverAt('https://api.deepseek.com'), 'deepseek-chat', false],
    ['an own server', serverAt('http://10.0.0.1'), 'openai/gpt-oss-120b', false],
    ['an own server with Qwen', serverAt('http://10.0.0.1'), 'qwen3', false],
  ])('is sent to %s as it is, if that compacts', (_, channel, model, isSent) => {
    expect(takesNative(channel, { native }, model)).toBe(isSent)
    expect(takesNative(channel, { native: { dialect: 'responses' } }, model)).toBe(true)
  })

  test('is translated where the maker refuses the name of a tool', () => {
    const refusesNames = (model: string) => model === 'gpt-5'
    const own = { dialect: 'responses', refusesNames } as const
    expect(takesNative(channelOf(1), { native: own }, 'gpt-5')).toBe(false)
    expect(takesNative(channelOf(1), { native: own }, 'qwen3')).toBe(true)
  })

  test('goes where nothing else can express it', () => {
    const own = { ...native, obstacle: problem('x') }
    expect(takesNative(channelOf(20), { native: own }, 'm')).toBe(true)
  })

  test('asks for a summary by chat completions where both are offered', () => {
    const request = { endpoint: 'chat', outline: {}, native } as const
    expect(chooseApi(channelOf(20), request, 'm')).toBe('chat')
    expect(chooseApi(channelOf(1), request, 'gpt-5')).toBe('responses')
  })
})
