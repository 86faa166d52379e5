import { describe, expect, test } from 'vitest'
import type { ProviderCall } from '../../codec/provider-codec.ts'
import { conformance } from '../../codec/testing/conformance.ts'
import { decodeWhole } from '../../codec/testing/decode-whole.ts'
import { callTo, chatJson, encoded, sendsOrRefusesAnything } from '../../codec/testing/encoded.ts'
import { fixturesBeside } from '../../codec/testing/fixtures.ts'
import type { JsonRecord } from '../../json-value.ts'
import { baiduCodec } from './codec.ts'

/** In the form that the exchange returns. */
const TOKEN = 'access_token=24.bbbb.2592000.1738281600.282335-1'
const V1 = 'https://aip.baidubce.com/rpc/2.0/ai_custom/v1/wenxinworkshop'

const call = (parts: Partial<ProviderCall> = {}) =>
  callTo({ key: TOKEN, model: 'ERNIE-4.0-8K' }, parts)
const sent = (members: JsonRecord) => chatJson(baiduCodec, call(), members)
const through = (key: string, baseUrl = '') => ({ channel: { baseUrl, key, other: '' } })

const fixture = fixturesBeside(import.meta.url)
const COUNTED = { promptTokens: 2, completionTokens: 3 }
const TOOLS = [{ name: 'weather', arguments: { city: '北京' } }]

conformance('baidu', {
  codec: baiduCodec,
  call,
  answers: [
    {
      name: 'text',
      body: fixture('text.json'),
      says: { text: '你好！', finish: 'stop', usage: COUNTED },
    },
    {
      name: 'a call and the thoughts behind it',
      body: fixture('function.json'),
      says: {
        text: '',
        reasoning: '用户想知道天气。',
        tools: TOOLS,
        finish: 'tool_calls',
        usage: COUNTED,
      },
    },
    {
      name: 'cut short',
      body: fixture('length.json'),
      says: { text: 'a', finish: 'length', usage: COUNTED },
    },
    {
      name: 'stopped by the filter',
      body: fixture('filter.json'),
      says: { text: 'a', finish: 'content_filter', usage: COUNTED },
    },
  ],
  streams: [
    {
      name: 'text',
      bytes: fixture('text.stream.txt'),
      says: { text: '你好！', finish: 'stop', usage: COUNTED },
    },
    {
      name: 'a call and the thoughts behind it',
      bytes: fixture('function.stream.txt'),
      says: {
        text: '',
        reasoning: '用户想知道天气。',
        tools: TOOLS,
        finish: 'tool_calls',
        usage: COUNTED,
      },
    },
    {
      name: 'cut short',
      bytes: fixture('length.stream.txt'),
      says: { text: 'a', finish: 'length', usage: COUNTED },
    },
    {
      name: 'stopped by the filter',
      bytes: fixture('filter.stream.txt'),
      says: { text: 'a', finish: 'content_filter', usage: COUNTED },
    },
  ],
  failures: [
    { name: 'a refused token', body: fixture('error.json'), inStream: false, kind: 'auth' },
    {
      name: 'a failure as an event',
      body: `data: ${fixture('error.json')}\n`,
      inStream: true,
      kind: 'auth',
    },
    {
      name: 'a failure as bare JSON in the middle of a stream',
      body: fixture('error.stream.txt'),
      inStream: true,
      kind: 'overloaded',
    },
  ],
})

describe('a request of V1', () => {
  test('goes to the address of its model, with its token', () => {
    const messages = [
      { role: 'system', content: 'be brief' },
      { role: 'user', content: 'hi' },
    ]
    const request = { model: 'ERNIE-4.0-8K', messages }
    expect(encoded(baiduCodec, call({ request }))).toEqual({
      url: `${V1}/chat/completions_pro?${TOKEN}`,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'accept-encoding': 'identity',
      },
      json: { messages: [{ role: 'user', content: 'hi' }], system: 'be brief' },
    })
  })

  test.each([
    ['ERNIE-3.5-8K', 'completions'],
    ['ERNIE-Bot-turbo', 'eb-instant'],
    ['ERNIE-Speed-8K', 'ernie_speed'],
    ['ernie-speed-8k', 'ernie_speed'],
    ['ERNIE-Tiny-8K', 'ernie-tiny-8k'],
    ['BLOOMZ-7B', 'bloomz_7b1'],
    ['../other?', '..%2Fother%3F'],
  ])('to %s goes to %s', (model, endpoint) => {
    expect(encoded(baiduCodec, call({ model })).url).toBe(`${V1}/chat/${endpoint}?${TOKEN}`)
  })

  test('goes through the address that the channel names, whose query stays', () => {
    const { url } = encoded(baiduCodec, call(through(TOKEN, 'https://a.example/baidu/?b=c')))
    expect(url).toContain('https://a.example/baidu/rpc/2.0/')
    expect(url).toContain(`?b=c&${TOKEN}`)
  })

  test('tells parallel calls one after the other, and joins neighbours', () => {
    const calls = [
      { id: 'call_a', type: 'function', function: { name: 'weather', arguments: '{"c":1}' } },
      { id: 'call_b', type: 'function', function: { name: 'weather', arguments: '{"c":2}' } },
    ]
    const messages = [
      { role: 'user', content: 'hi' },
      { role: 'user', content: [{ type: 'text', text: 'there' }] },
      { role: 'assistant', content: 'let me see', tool_calls: calls },
      { role: 'tool', tool_call_id: 'call_b', content: '' },
      { role: 'tool', tool_call_id: 'call_a', content: 'rain' },
      { role: 'assistant', content: 'rain and nothing', tool_calls: [] },
      { role: 'user', content: 'thanks' },
    ]
    expect(sent({ messages })['messages']).toEqual([
      { role: 'user', content: 'hi\nthere' },
      {
        role: 'assistant',
        content: 'let me see',
        function_call: { name: 'weather', arguments: '{"c":1}' },
      },
      { role: 'function', name: 'weather', content: 'rain' },
      { role: 'assistant', content: '', function_call: { name: 'weather', arguments: '{"c":2}' } },
      { role: 'function', name: 'weather', content: ' ' },
      { role: 'assistant', content: 'rain and nothing' },
      { role: 'user', content: 'thanks' },
    ])
  })

  const parameters = { type: 'object', properties: { city: { type: 'string' } } }
  const weather = {
    type: 'function',
    function: { name: 'weather', description: 'now', parameters },
  }
  const clock = { type: 'function', function: { name: 'clock' } }
  const Weather = { name: 'weather', description: 'now', parameters }
  const Clock = { name: 'clock', parameters: { type: 'object', properties: {} } }
  const named = { type: 'function', function: { name: 'clock' } }

  test.each<[JsonRecord, JsonRecord]>([
    [
      { temperature: 0, top_p: 2 },
      { temperature: 0.01, top_p: 1 },
    ],
    [{ temperature: 1.5 }, { temperature: 1 }],
    [{ frequency_penalty: 1 }, { penalty_score: 1.5 }],
    [{ frequency_penalty: -1 }, {}],
    [{ penalty_score: 1.2, frequency_penalty: 2 }, { penalty_score: 1.2 }],
    [{ stop: 'end' }, { stop: ['end'] }],
    [{ max_tokens: 1 }, { max_output_tokens: 2 }],
    [{ max_tokens: 5, max_completion_tokens: 9 }, { max_output_tokens: 9 }],
    [
      { user: 'u-1', disable_search: true },
      { user_id: 'u-1', disable_search: true },
    ],
    [{ response_format: { type: 'json_object' } }, { response_format: 'json_object' }],
    [{ tools: [weather] }, { functions: [Weather] }],
    [{ tools: [weather], tool_choice: 'none' }, {}],
    [
      { tools: [clock], tool_choice: 'required' },
      { functions: [Clock], tool_choice: named },
    ],
    [
      { tools: [weather, clock], tool_choice: named },
      { functions: [Weather, Clock], tool_choice: named },
    ],
    [{ seed: 1, logit_bias: {}, presence_penalty: 1, parallel_tool_calls: true }, {}],
  ])('with %j is sent with %j', (members, expected) => {
    const messages = [{ role: 'user', content: 'hi' }]
    expect(sent(members)).toEqual({ messages, ...expected })
  })

  const image = { type: 'image_url', image_url: { url: 'https://a.example/b.png' } }

  test.each<[JsonRecord, string]>([
    [{ n: 2 }, 'n'],
    [{ logprobs: true }, 'logprobs'],
    [{ audio: {} }, 'audio'],
    [{ web_search_options: {} }, 'web_search_options'],
    [{ response_format: { type: 'json_schema' } }, 'response_format'],
    [{ tools: [{ type: 'custom', custom: { name: 'a' } }] }, 'tools.0'],
    [{ tools: [weather, clock], tool_choice: 'required' }, 'tool_choice'],
    [{ messages: [{ role: 'user', content: [image] }] }, 'messages.0.content'],
    [{ messages: [{ role: 'tool', tool_call_id: 'a', content: 'b' }] }, 'messages.0'],
  ])('with %j is refused', (members, param) => {
    expect(() => sent(members)).toThrow(expect.objectContaining({ name: 'Untranslatable', param }))
  })

  test('embeds texts, never tokens', () => {
    const model = 'bge-large-zh'
    const asking = (input: unknown) =>
      call({ endpoint: 'embeddings', model, request: { model, input } })
    expect(encoded(baiduCodec, asking('hi'))).toMatchObject({
      url: `${V1}/embeddings/bge_large_zh?${TOKEN}`,
      json: { input: ['hi'] },
    })
    expect(() => encoded(baiduCodec, asking([1]))).toThrow('texts, not tokens')
    const decoded = decodeWhole(
      baiduCodec.answers,
      Buffer.from(fixture('embeddings.json')),
      asking('hi'),
    )
    expect(JSON.parse(decoded.toString())).toEqual({
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: [1, -0.5] }],
      model,
      usage: { prompt_tokens: 3, total_tokens: 3 },
    })
  })
})

test('half a character in the name of a model is no fault of the address', () => {
  const { url } = baiduCodec.encode(call({ model: 'a\ud800' }))
  expect(url).toBe(`${V1}/chat/a%EF%BF%BD?${TOKEN}`)
})

describe('the exchange of a key', () => {
  /** Vectors, section "Baidu access-token exchange". */
  const KEY = '0123456789abcdef01234567|fedcba9876543210fedcba9876543210'
  const { exchange } = baiduCodec
  const now = 1_735_689_600_000
  const read = (body: string) => exchange.read(Buffer.from(body), now)

  test('asks as the documentation says', () => {
    expect(exchange.ask({ baseUrl: '', key: KEY })).toEqual({
      url: 'https://aip.baidubce.com/oauth/2.0/token?grant_type=client_credentials&client_id=0123456789abcdef01234567&client_secret=fedcba9876543210fedcba9876543210',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'accept-encoding': 'identity',
      },
      body: Buffer.alloc(0),
    })
  })

  test('gives a token that is used until its last hour', () => {
    const seconds = 2_592_000 - 3600
    expect(read(fixture('token.json'))).toEqual({ token: TOKEN, expiresAt: now + seconds * 1000 })
  })

  test.each([
    ['{"access_token":"a","expires_in":600}', 300],
    ['{"access_token":"a"}', 0],
  ])('of %s holds for %i seconds', (body, seconds) => {
    expect(read(body)?.expiresAt).toBe(now + seconds * 1000)
  })

  test.each([
    [fixture('token-refused.json')],
    ['{"access_token":""}'],
    [String.raw`{"access_token":"\ud800"}`],
    ['[]'],
    ['<html>'],
  ])('gives nothing for %s', (body) => expect(read(body)).toBeNull())

  test('asks with what is left of a broken key, which is refused there', () => {
    const { url } = exchange.ask({ baseUrl: '', key: 'a\ud800|b' })
    expect(url).toMatch(/client_id=a%EF%BF%BD&client_secret=b$/)
  })

  test.each(['a|', '|b', 'a|b|c'])('is not asked for with %s', (key) => {
    expect(() => exchange.ask({ baseUrl: '', key })).toThrow('APIKey|SecretKey')
  })

  test.each([
    [KEY, true],
    ['bce-v3/ALTAK-a/b', false],
    ['bce-v3/ALTAK-a/b|app-1', false],
    ['sk-1', false],
  ])('of %s is needed: %s', (key, isNeeded) => {
    expect(exchange.isNeeded(key)).toBe(isNeeded)
  })
})

describe('a request of V2', () => {
  const second = (parts: Partial<ProviderCall> = {}, key = 'bce-v3/ALTAK-a/b') =>
    call({ ...through(key), ...parts })

  test('has OpenAI’s form, and asks streams for their usage', () => {
    const messages = [
      { role: 'developer', content: 'be brief' },
      { role: 'user', content: 'hi' },
    ]
    const request = {
      model: 'ERNIE-4.0-8K',
      messages,
      stream: true,
      reasoning_effort: 'low',
      web_search_options: {},
      n: 2,
    }
    expect(encoded(baiduCodec, second({ request, stream: true }))).toEqual({
      url: 'https://qianfan.baidubce.com/v2/chat/completions',
      headers: {
        authorization: 'Bearer bce-v3/ALTAK-a/b',
        'content-type': 'application/json',
        accept: 'text/event-stream',
        'accept-encoding': 'identity',
      },
      json: {
        model: 'ernie-4.0-8k',
        messages: [{ role: 'system', content: 'be brief' }, messages[1]],
        stream: true,
        stream_options: { include_usage: true },
        enable_thinking: true,
        web_search: { enable: true },
        n: 2,
      },
    })
  })

  test('names its application where the key does', () => {
    const asked = second({}, 'bce-v3/ALTAK-a/b|app-1')
    expect(encoded(baiduCodec, asked).headers).toMatchObject({
      authorization: 'Bearer bce-v3/ALTAK-a/b',
      appid: 'app-1',
    })
  })

  test('embeds at the address that the channel names', () => {
    const request = { model: 'Embedding-V1', input: 'hi' }
    const asked = second({
      ...through('bce-v3/ALTAK-a/b', 'https://a.example/v2'),
      endpoint: 'embeddings',
      model: 'Embedding-V1',
      request,
    })
    expect(encoded(baiduCodec, asked)).toMatchObject({
      url: 'https://a.example/v2/embeddings',
      json: { model: 'embedding-v1', input: 'hi' },
    })
  })

  test('gets its answers and its streams as they come', () => {
    const body = Buffer.from('{"choices":[]}')
    expect(decodeWhole(baiduCodec.answers, body, second())).toBe(body)
    const bytes = 'data: {"choices":[]}\n\ndata: [DONE]\n\n'
    const decoder = baiduCodec.answers.decoder(second())
    const events = [...decoder.push(Buffer.from(bytes)), ...decoder.end()]
    expect(Buffer.concat(events).toString()).toBe(bytes)
  })
})

test('whatever a request says, it is sent or refused', () => {
  sendsOrRefusesAnything(baiduCodec, call())
})
