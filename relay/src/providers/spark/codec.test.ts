import { describe, expect, test } from 'vitest'
import type { ProviderCall } from '../../codec/provider-codec.ts'
import { conformance, MADE_ID } from '../../codec/testing/conformance.ts'
import { decodeWhole } from '../../codec/testing/decode-whole.ts'
import { answers, failures, streams } from './__fixtures__/wire.ts'
import { sparkCodec } from './codec.ts'
import { FunctionNames } from './function-names.ts'

const KEY = 'a1b2c3d4|ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4|0123456789abcdef0123456789abcdef'
const messages = [{ role: 'user', content: '你好' }]
const weather = { type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }

function call(parts: Partial<ProviderCall> = {}): ProviderCall {
  return {
    endpoint: 'chat',
    request: { model: 'Spark-Max', messages, max_tokens: 64, tools: [weather] },
    model: 'Spark-Max',
    stream: false,
    channel: { baseUrl: '', key: KEY, other: '' },
    now: Date.parse('2025-01-01T00:00:00Z'),
    id: MADE_ID,
    ...parts,
  }
}

conformance('spark', { codec: sparkCodec, call, answers, streams, failures, framing: 'lines' })

const pathOf = (model: string, other = '', baseUrl = '') => {
  const { url, body } = sparkCodec.encode(
    call({ model, request: { messages }, channel: { baseUrl, key: KEY, other } }),
  )
  const { domain } = JSON.parse(body.toString()).parameter.chat
  return [url.split('?')[0], domain]
}

describe('the address', () => {
  test('is signed as in the vectors', () => {
    const signed = (model: string) => sparkCodec.encode(call({ model, request: { messages } })).url
    expect(signed('Spark-Max')).toBe(
      'wss://spark-api.xf-yun.com/v3.5/chat?authorization=YXBpX2tleT0iMDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWYiLCBhbGdvcml0aG09ImhtYWMtc2hhMjU2IiwgaGVhZGVycz0iaG9zdCBkYXRlIHJlcXVlc3QtbGluZSIsIHNpZ25hdHVyZT0iT2xkYnZ3dzJ5OCswUUgvdXJtQ0M3UG9KZGcxM0xEV3lCMWF0NzU0VFI4az0i&date=Wed%2C+01+Jan+2025+00%3A00%3A00+GMT&host=spark-api.xf-yun.com',
    )
    expect(signed('Spark-Pro-128K')).toBe(
      'wss://spark-api.xf-yun.com/chat/pro-128k?authorization=YXBpX2tleT0iMDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWYiLCBhbGdvcml0aG09ImhtYWMtc2hhMjU2IiwgaGVhZGVycz0iaG9zdCBkYXRlIHJlcXVlc3QtbGluZSIsIHNpZ25hdHVyZT0iTHlrVmpKNUFlNTdUcUplZzFnRUxpakNmTEljNDk2K0ZBZVB1VWRlNVFHZz0i&date=Wed%2C+01+Jan+2025+00%3A00%3A00+GMT&host=spark-api.xf-yun.com',
    )
  })

  test.each([
    ['Spark-Lite', '/v1.1/chat', 'lite'],
    ['SparkDesk-v1.1', '/v1.1/chat', 'lite'],
    ['SparkDesk-v2.1', '/v2.1/chat', 'generalv2'],
    ['SparkDesk-v3.1', '/v3.1/chat', 'generalv3'],
    ['SparkDesk-v3.1-128K', '/chat/pro-128k', 'pro-128k'],
    ['SparkDesk-v3.5-32K', '/chat/max-32k', 'max-32k'],
    ['Spark-4.0-Ultra', '/v4.0/chat', '4.0Ultra'],
    ['Spark-X1', '/v1/x1', 'x1'],
    ['SparkDesk-v9.9', '/v9.9/chat', 'generalv9.9'],
    ['constructor', '/v2.1/chat', 'generalv2'],
  ])('of %s is %s, its domain %s', (model, path, domain) => {
    expect(pathOf(model)).toEqual([`wss://spark-api.xf-yun.com${path}`, domain])
  })

  test('follows the channel where the model does not tell its version', () => {
    const own = (other: string) => pathOf('SparkDesk', other)[0]
    expect(own('')).toBe('wss://spark-api.xf-yun.com/v2.1/chat')
    expect(own('v3.5-32K')).toBe('wss://spark-api.xf-yun.com/chat/max-32k')
    expect(own('4.0')).toBe('wss://spark-api.xf-yun.com/v4.0/chat')
    expect(own('nonsense')).toBe('wss://spark-api.xf-yun.com/v2.1/chat')
  })

  test('has the path of a proxy before its own', () => {
    const at = (baseUrl: string) => pathOf('Spark-Max', '', baseUrl)[0]
    expect(at('https://proxy.example/spark/')).toBe('wss://proxy.example/spark/v3.5/chat')
    expect(at('ws://127.0.0.1:7/v3.5/chat')).toBe('ws://127.0.0.1:7/v3.5/chat')
    expect(at('no address')).toBe('')
  })

  test.each(['a|b', 'a|b|c|d', 'a||c', ''])('cannot be signed with the key %j', (key) => {
    const channel = { baseUrl: '', key, other: '' }
    expect(() => sparkCodec.encode(call({ channel }))).toThrow('APPID|APISecret|APIKey')
  })
})

function encode(request: object, model = 'Spark-Max') {
  const { body } = sparkCodec.encode(call({ model, request: { ...request } }))
  return JSON.parse(body.toString())
}

describe('what is sent', () => {
  test('is one message, after which the last of the answer is known', () => {
    const { transport, headers, isLast } = sparkCodec.encode(call())
    expect([transport, headers]).toEqual(['websocket', {}])
    const isEnd = (json: object) => isLast?.(Buffer.from(JSON.stringify(json)))
    expect(isEnd({ header: { code: 0, status: 1 } })).toBe(false)
    expect(isEnd({ header: { code: 0, status: 2 } })).toBe(true)
    expect(isEnd({ header: { code: 10013, status: 0 } })).toBe(true)
    expect(isLast?.(Buffer.from('no JSON'))).toBe(false)
  })

  test('has settings within what is allowed, and no search that was not asked for', () => {
    const request = {
      messages: [messages[0], { role: 'developer', content: 'Be brief.' }],
      max_completion_tokens: 99_999,
      temperature: 0,
      top_k: 9,
      top_p: 0.5,
      user: 'u',
      seed: 7,
      stop: [],
    }
    expect(encode(request)).toEqual({
      header: { app_id: 'a1b2c3d4' },
      parameter: {
        chat: {
          domain: 'generalv3.5',
          temperature: 0.01,
          top_k: 6,
          max_tokens: 8192,
          tools: [{ type: 'web_search', web_search: { enable: false } }],
          auditing: 'default',
        },
      },
      payload: { message: { text: [{ role: 'system', content: 'Be brief.' }, messages[0]] } },
    })
    expect(encode({ messages, temperature: 2, max_tokens: 9000 }, 'lite').parameter.chat).toEqual({
      domain: 'lite',
      temperature: 1,
      max_tokens: 4096,
      auditing: 'default',
    })
  })

  test('searches where that is asked', () => {
    const search = [{ type: 'web_search', web_search: { enable: true } }]
    const tools = [{ type: 'web_search' }]
    expect(encode({ messages, tools }).parameter.chat.tools).toEqual(search)
    const asked = encode({ messages, web_search_options: {} }, 'Spark-Pro')
    expect(asked.parameter.chat.tools).toEqual(search)
    expect(() => encode({ messages, tools }, 'lite')).toThrow('cannot search')
    const off = [{ type: 'web_search', web_search: { enable: false } }]
    expect(encode({ messages, tools: off }).parameter.chat.tools).toEqual(off)
    expect(encode({ messages, tools: off }, 'lite').parameter.chat).not.toHaveProperty('tools')
  })

  test('tells models that know no system what to do as a question of its own', () => {
    const system = { role: 'system', content: 'Be brief.' }
    const { text } = encode({ messages: [system, ...messages] }, 'Spark-Pro').payload.message
    expect(text).toEqual([
      { role: 'user', content: 'Be brief.' },
      { role: 'assistant', content: 'OK.' },
      ...messages,
    ])
  })

  test('tells of functions, and of calls and results as text', () => {
    const named = (id: string, name: string) => ({
      id,
      type: 'function',
      function: { name, arguments: '{}' },
    })
    const request = {
      tools: [weather],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
        },
        { role: 'assistant', content: 'I ask.', tool_calls: [named('1', 'weather')] },
        { role: 'tool', tool_call_id: '1', content: 'sun' },
        { role: 'assistant', content: null, tool_calls: [named('2', 'x'), named('3', 'y')] },
        { role: 'tool', tool_call_id: '3', content: 'three' },
        { role: 'tool', tool_call_id: '2', content: 'two' },
      ],
    }
    const called = (name: string) => `{"function_call":{"name":"${name}","arguments":"{}"}}`
    const { payload } = encode(request)
    expect(payload.functions).toEqual({ text: [weather.function] })
    expect(payload.message.text).toEqual([
      { role: 'user', content: 'a\nb' },
      { role: 'assistant', content: `I ask.\n${called('weather')}` },
      { role: 'tool', content: 'sun' },
      { role: 'assistant', content: `${called('x')}\n${called('y')}` },
      { role: 'tool', content: 'y: three' },
      { role: 'tool', content: 'x: two' },
    ])
    expect(encode({ ...request, tool_choice: 'none' }).payload).not.toHaveProperty('functions')
  })

  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }
  test.each<[object, string]>([
    [{ messages, n: 2 }, 'n'],
    [{ messages, logprobs: true }, 'logprobs'],
    [{ messages, modalities: ['audio'] }, 'audio'],
    [{ messages, stop: 'END' }, 'stop'],
    [{ messages, response_format: { type: 'json_schema' } }, 'response_format'],
    [{ messages, tools: [weather], tool_choice: 'required' }, 'tool_choice'],
    [{ messages, tools: [{ type: 'custom', custom: {} }] }, 'tools.0'],
    [{ messages: [{ role: 'user', content: [image] }] }, 'messages.0.content'],
    [{ messages: [{ role: 'critic', content: 'No.' }] }, 'messages.0'],
  ])('cannot be %j', (request, param) => {
    expect(() => encode(request)).toThrow(
      expect.objectContaining({ name: 'Untranslatable', param }),
    )
  })

  test('cannot have functions for models that know none', () => {
    expect(() => encode({ messages, tools: [weather] }, 'Spark-Lite')).toThrow('cannot call')
  })
})

describe('names of functions', () => {
  const long = 'mcp-server.read'.repeat(4)
  const names = new FunctionNames([{ name: 'fine_1' }, { name: long }, { name: `${long}!` }])

  test('that Spark does not take are changed, apart from each other, and back', () => {
    const told = ['fine_1', long, `${long}!`].map((name) => names.told(name))
    expect(told).toEqual([
      'fine_1',
      'mcp_server_readmcp_server_read_1'.slice(0, 32),
      expect.stringMatching(/^\w{30}_2$/),
    ])
    expect(told.map((name) => names.asked(name))).toEqual(['fine_1', long, `${long}!`])
    expect(names.asked('unknown')).toBe('unknown')
  })

  test('come back in answers', () => {
    const tools = [{ type: 'function', function: { name: 'get-weather' } }]
    const request = { messages, tools }
    const [, one] = answers
    const body = Buffer.from(one?.body.replace('"weather"', '"get_weather_0"') ?? '')
    const answer = JSON.parse(decodeWhole(sparkCodec.answers, body, call({ request })).toString())
    expect(answer.choices[0].message.tool_calls[0].function.name).toBe('get-weather')
    expect(encode(request).payload.functions.text[0].name).toBe('get_weather_0')
  })
})
