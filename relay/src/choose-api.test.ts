import { describe, expect, test } from 'vitest'
import type { JsonRecord } from './bytes/json-value.ts'
import { cardOf, cardsWith } from './cards/card-of.ts'
import { descriptorOf } from './catalogue.ts'
import { type Api, type ApiChannel, type ApiRequest, chooseApi } from './choose-api.ts'

const TOOLS = { tools: [{ type: 'function', function: { name: 'f' } }] }

type More = Partial<Pick<ApiChannel, 'baseUrl' | 'other'> & ApiChannel['overrides']>

function channelOf(type: number, { apis = null, ...more }: More = {}): ApiChannel {
  const descriptor = descriptorOf(type)
  if (descriptor === undefined) throw new Error(`there is no channel type ${type}`)
  const { baseUrl = '', other = '', cardOf: lookup = cardOf } = more
  const overrides = { apis, cardOf: lookup }
  return { descriptor, baseUrl, other, overrides, apiMemory: { lacksResponses: false } }
}

const requestOf = (outline: JsonRecord, isResponses = false): ApiRequest => ({
  endpoint: 'chat',
  outline,
  ...(isResponses ? { native: { dialect: 'responses' } } : {}),
})

describe('a client of Responses', () => {
  const mine = 'https://llm.example.com'
  test.each<[string, ApiChannel, Api]>([
    ['OpenAI', channelOf(1), 'responses'],
    ['OpenAI in Europe', channelOf(1, { baseUrl: 'https://eu.api.openai.com/v1' }), 'responses'],
    ['a reseller', channelOf(1, { baseUrl: mine }), 'chat'],
    [
      "Cloudflare's gateway",
      channelOf(1, { baseUrl: 'https://gateway.ai.cloudflare.com/v1/a/g/openai/' }),
      'responses',
    ],
    [
      'OpenAI by a custom channel',
      channelOf(8, { baseUrl: 'https://api.openai.com' }),
      'responses',
    ],
    ['xAI', channelOf(8, { baseUrl: 'https://api.x.ai/v1' }), 'responses'],
    ['OpenRouter', channelOf(20), 'responses'],
    ['a custom address', channelOf(8, { baseUrl: mine }), 'chat'],
    [
      'one that offers both',
      channelOf(8, { baseUrl: mine, apis: ['chat', 'responses'] }),
      'responses',
    ],
    ['OpenAI, where the operator says chat', channelOf(1, { apis: ['chat'] }), 'chat'],
    ['Azure, undated', channelOf(3, { baseUrl: mine, other: 'v1' }), 'responses'],
    ['Azure, dated', channelOf(3, { baseUrl: mine, other: '2024-10-21' }), 'chat'],
    ['the generic type', channelOf(1002, { baseUrl: mine }), 'responses'],
    ['DeepSeek', channelOf(8, { baseUrl: 'https://api.deepseek.com' }), 'chat'],
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
    ['gpt-5-codex', {}, 'responses'],
    ['gpt-5-codex', { n: 2 }, 'responses'],
    ['o3-pro', {}, 'responses'],
  ])('%s %j', (model, outline, api) => {
    expect(chooseApi(channelOf(1), requestOf(outline), model)).toBe(api)
  })

  test('other endpoints stay where they are', () => {
    const request = { ...requestOf({}), endpoint: 'embeddings' } as const
    expect(chooseApi(channelOf(1), request, 'gpt-5-codex')).toBe('chat')
  })

  test('OpenRouter translates by itself', () => {
    expect(chooseApi(channelOf(20), requestOf(TOOLS), 'openai/gpt-5.6-sol')).toBe('chat')
  })

  test('a reseller is tried where chat would refuse, until it answers that it has no Responses', () => {
    const reseller = channelOf(1, { baseUrl: 'https://llm.example.com' })
    expect(chooseApi(reseller, requestOf(TOOLS), 'gpt-5.6-sol')).toBe('responses')
    const known = { ...reseller, apiMemory: { lacksResponses: true } }
    expect(chooseApi(known, requestOf(TOOLS), 'gpt-5.6-sol')).toBe('chat')
    const custom = channelOf(8, { baseUrl: 'https://llm.example.com' })
    expect(chooseApi(custom, requestOf(TOOLS), 'gpt-5.6-sol')).toBe('chat')
  })

  test('the card of the operator decides what chat refuses', () => {
    const own = cardsWith({ 'gpt-4.1': { reasoning: { inChat: 'no_chat' } } })
    const channel = channelOf(1, { cardOf: own })
    expect(chooseApi(channel, requestOf({}), 'gpt-4.1')).toBe('responses')
  })

  test('an address may offer Responses alone', () => {
    const channel = channelOf(8, { apis: ['responses'] })
    expect(chooseApi(channel, requestOf({}), 'gpt-4.1')).toBe('responses')
  })
})
