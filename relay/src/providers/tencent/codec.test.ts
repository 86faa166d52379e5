import { describe, expect, test } from 'vitest'
import type { ProviderCall } from '../../codec/provider-codec.ts'
import { conformance } from '../../codec/testing/conformance.ts'
import { decodeWhole } from '../../codec/testing/decode-whole.ts'
import { callTo, chatJson, encoded, sendsOrRefusesAnything } from '../../codec/testing/encoded.ts'
import { fixturesBeside } from '../../codec/testing/fixtures.ts'
import type { JsonRecord } from '../../json-value.ts'
import { tencentCodec } from './codec.ts'
import { signature } from './sign.ts'

const KEY = '1250000000|AKIDEXAMPLE0000000000000000000000000|EXAMPLEsecretKEY0000000000000000'
const call = (parts: Partial<ProviderCall> = {}) =>
  callTo({ key: KEY, model: 'hunyuan-lite' }, parts)
const sent = (members: JsonRecord) => chatJson(tencentCodec, call(), members)
const through = (key: string, baseUrl = '') => ({ channel: { baseUrl, key, other: '' } })

const fixture = fixturesBeside(import.meta.url)
const COUNTED = { promptTokens: 13, completionTokens: 6, cachedTokens: 8 }
const TOOLS = [
  { id: 'call_a', name: 'weather', arguments: { city: '北京' } },
  { id: 'call_b', name: 'weather', arguments: { city: '上海' } },
]

conformance('tencent', {
  codec: tencentCodec,
  call,
  answers: [
    {
      name: 'text with cached usage',
      body: fixture('text.json'),
      says: { text: '你好！', finish: 'stop', usage: COUNTED },
    },
    {
      name: 'reasoning',
      body: fixture('reasoning.json'),
      says: { text: '4', reasoning: '二加二', finish: 'stop', usage: COUNTED },
    },
    {
      name: 'two calls',
      body: fixture('tools.json'),
      says: { text: '', tools: TOOLS, finish: 'tool_calls', usage: COUNTED },
    },
    {
      name: 'cut short',
      body: fixture('length.json'),
      says: { text: 'a', finish: 'length', usage: COUNTED },
    },
    {
      name: 'stopped by the filter',
      body: fixture('filter.json'),
      says: { text: '这个问题我无法回答', finish: 'content_filter', usage: COUNTED },
    },
  ],
  streams: [
    {
      name: 'text',
      bytes: fixture('text.stream.txt'),
      says: { text: '你好！', finish: 'stop', usage: COUNTED },
    },
    {
      name: 'reasoning, then text',
      bytes: fixture('reasoning.stream.txt'),
      says: { text: '4', reasoning: '二加二', finish: 'stop', usage: COUNTED },
    },
    {
      name: 'text and two calls in pieces',
      bytes: fixture('tools.stream.txt'),
      says: { text: '我查一下', tools: TOOLS, finish: 'tool_calls', usage: COUNTED },
    },
    {
      name: 'stopped by the filter',
      bytes: fixture('filter.stream.txt'),
      says: { text: 'a', finish: 'content_filter', usage: COUNTED },
    },
  ],
  failures: [
    { name: 'a refused key', body: fixture('error.json'), inStream: false, kind: 'auth' },
    {
      name: 'a message where the answer should be',
      body: '{"Response":{"ErrorMsg":{"Msg":"internal error","Code":4000},"RequestId":"r-1"}}',
      inStream: false,
      kind: 'upstream_fault',
    },
    {
      name: 'a model that is late, in a stream',
      body: fixture('error.stream.txt'),
      inStream: true,
      kind: 'timeout',
    },
    {
      name: 'a wrapped error in a stream',
      body: `data: ${fixture('error.json')}\n`,
      inStream: true,
      kind: 'auth',
    },
  ],
})

describe('the signature', () => {
  /** By Tencent's steps for TC3-HMAC-SHA256; recomputed in Python and Node. */
  const SIGNED =
    'TC3-HMAC-SHA256 Credential=AKIDEXAMPLE0000000000000000000000000/2025-01-01/hunyuan/tc3_request, SignedHeaders=content-type;host;x-tc-action, Signature=ba7cdca9edfc87976c689f09e2b7954c33d74fa3fe0a8d4dd5ed6d6ca25f0d5c'
  const request = { model: 'hunyuan-lite', messages: [{ role: 'user', content: '你好' }] }

  test('is the one of the published steps, over the bytes that are sent', () => {
    const { url, headers, body } = tencentCodec.encode(call({ request }))
    expect(body.toString()).toBe(
      '{"Model":"hunyuan-lite","Messages":[{"Role":"user","Content":"你好"}],"Stream":false}',
    )
    expect(url).toBe('https://hunyuan.tencentcloudapi.com/')
    expect(headers).toEqual({
      authorization: SIGNED,
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
      'x-tc-action': 'ChatCompletions',
      'x-tc-version': '2023-09-01',
      'x-tc-timestamp': '1735689600',
    })
  })

  test('is for the host behind a proxy, and for any host of Tencent', () => {
    const behind = call({ request, ...through(KEY, 'https://proxy.example/tencent/') })
    const proxied = tencentCodec.encode(behind)
    expect(proxied.url).toBe('https://proxy.example/tencent/')
    expect(proxied.headers).toMatchObject({ authorization: SIGNED })
    const secret = { id: 'a', key: 'b' }
    const signing = { secret, action: 'ChatCompletions', body: Buffer.from('{}'), now: 0 }
    const signedFor = (url: string) => signature({ ...signing, url })['authorization']
    expect(signedFor('https://hunyuan.ap-guangzhou.tencentcloudapi.com/')).not.toBe(
      signedFor('https://hunyuan.tencentcloudapi.com/'),
    )
  })

  test.each(['1250000000|AKID', 'a|b|c|d', '1||c', '1|b|'])('is not made with %s', (key) => {
    expect(() => tencentCodec.encode(call(through(key)))).toThrow('AppId|SecretId|SecretKey')
  })
})

describe('a key without parts', () => {
  test('speaks the API in OpenAI’s form, and asks streams for their usage', () => {
    const request = { model: 'hunyuan-lite', messages: [], n: 2, stream: true }
    const asked = call({ request, stream: true, ...through('sk-1') })
    const { url, headers, json } = encoded(tencentCodec, asked)
    expect(url).toBe('https://api.hunyuan.cloud.tencent.com/v1/chat/completions')
    expect(headers).toMatchObject({ authorization: 'Bearer sk-1', accept: 'text/event-stream' })
    expect(json).toEqual({ ...request, stream_options: { include_usage: true } })
    const bytes = 'data: {"choices":[]}\n\ndata: [DONE]'
    const decoder = tencentCodec.answers.decoder(asked)
    const events = [...decoder.push(Buffer.from(bytes)), ...decoder.end()]
    expect(Buffer.concat(events).toString()).toBe(`${bytes}\n\n`)
    const body = Buffer.from('{"choices":[]}')
    expect(decodeWhole(tencentCodec.answers, body, asked)).toBe(body)
  })

  test('embeds at the address that the channel names', () => {
    const request = { model: 'hunyuan-embedding', input: 'hi' }
    const asked = call({
      endpoint: 'embeddings',
      request,
      ...through('sk-1', 'https://a.example/v1/'),
    })
    expect(encoded(tencentCodec, asked)).toMatchObject({
      url: 'https://a.example/v1/embeddings',
      json: request,
    })
  })
})

describe('a request', () => {
  test('has its system prompt first, its neighbours joined, and its past calls with their results', () => {
    const calls = [
      { id: 'call_a', type: 'function', function: { name: 'weather', arguments: '{"c":1}' } },
      { id: 'call_b', type: 'function', function: { name: 'weather', arguments: '{"c":2}' } },
    ]
    const url = 'data:image/png;base64,AAAA'
    const messages = [
      { role: 'user', content: 'hi' },
      { role: 'developer', content: 'be brief' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'image_url', image_url: { url } },
        ],
      },
      { role: 'assistant', content: null, reasoning_content: 'hm', tool_calls: calls },
      { role: 'tool', tool_call_id: 'call_a', content: 'rain' },
      { role: 'tool', tool_call_id: 'call_b', content: '' },
      { role: 'system', content: 'in English' },
    ]
    expect(sent({ messages })['Messages']).toEqual([
      { Role: 'system', Content: 'be brief\nin English' },
      {
        Role: 'user',
        Contents: [
          { Type: 'text', Text: 'hi' },
          { Type: 'text', Text: 'look' },
          { Type: 'image_url', ImageUrl: { Url: url } },
        ],
      },
      {
        Role: 'assistant',
        Content: '',
        ToolCalls: [
          {
            Id: 'call_a',
            Type: 'function',
            Function: { Name: 'weather', Arguments: '{"c":1}' },
            Index: 0,
          },
          {
            Id: 'call_b',
            Type: 'function',
            Function: { Name: 'weather', Arguments: '{"c":2}' },
            Index: 1,
          },
        ],
      },
      { Role: 'tool', Content: 'rain', ToolCallId: 'call_a' },
      { Role: 'tool', Content: ' ', ToolCallId: 'call_b' },
    ])
  })

  const weather = {
    type: 'function',
    function: { name: 'weather', description: 'now', parameters: { type: 'object' } },
  }
  const Weather = {
    Type: 'function',
    Function: { Name: 'weather', Description: 'now', Parameters: '{"type":"object"}' },
  }
  const clock = { type: 'function', function: { name: 'clock' } }
  const Clock = { Type: 'function', Function: { Name: 'clock', Parameters: '{}' } }
  const named = { type: 'function', function: { name: 'clock' } }

  test.each<[JsonRecord, JsonRecord]>([
    [
      { temperature: 3, top_p: 0.5 },
      { Temperature: 2, TopP: 0.5 },
    ],
    [{ stop: 'end' }, { Stop: ['end'] }],
    [{ stop: ['a', 'b'] }, { Stop: ['a', 'b'] }],
    [{ seed: 7 }, { Seed: 7 }],
    [{ seed: 10_001 }, { Seed: 2 }],
    [{ seed: 0 }, { Seed: 1 }],
    [{ reasoning_effort: 'high' }, { EnableThinking: true }],
    [{ reasoning_effort: 'none' }, { EnableThinking: false }],
    [{ web_search_options: {} }, { EnableEnhancement: true }],
    [{ EnableDeepSearch: true }, { EnableDeepSearch: true }],
    [{ tools: [weather] }, { Tools: [Weather] }],
    [
      { tools: [weather], tool_choice: 'none' },
      { Tools: [Weather], ToolChoice: 'none' },
    ],
    [
      { tools: [weather], tool_choice: 'required' },
      { Tools: [Weather], ToolChoice: 'custom', CustomTool: Weather },
    ],
    [
      { tools: [weather, clock], tool_choice: named },
      { Tools: [Weather, Clock], ToolChoice: 'custom', CustomTool: Clock },
    ],
    [{ max_tokens: 5, user: 'u', logit_bias: {}, frequency_penalty: 1, n: 1 }, {}],
    [{ response_format: { type: 'text' } }, {}],
  ])('with %j is sent with %j', (members, expected) => {
    const Messages = [{ Role: 'user', Content: 'hi' }]
    expect(sent(members)).toEqual({ Model: 'hunyuan-lite', Messages, Stream: false, ...expected })
  })

  const saying = (part: JsonRecord) => ({ messages: [{ role: 'user', content: [part] }] })

  test.each<[JsonRecord, string]>([
    [{ n: 2 }, 'n'],
    [{ logprobs: true }, 'logprobs'],
    [{ modalities: ['text', 'audio'] }, 'audio'],
    [{ response_format: { type: 'json_object' } }, 'response_format'],
    [{ tools: [{ type: 'custom', custom: { name: 'a' } }] }, 'tools.0'],
    [{ tools: [weather, clock], tool_choice: 'required' }, 'tool_choice'],
    [{ tools: [weather], tool_choice: { type: 'allowed_tools' } }, 'tool_choice'],
    [saying({ type: 'input_audio', input_audio: { data: 'AA' } }), 'messages.0.content'],
    [saying({ type: 'video_url', video_url: { url: 'a' } }), 'messages.0.content'],
    [saying({ type: 'file', file: {} }), 'messages.0.content.0'],
    [
      {
        messages: [{ role: 'assistant', tool_calls: [{ type: 'custom', custom: { name: 'a' } }] }],
      },
      'messages.0.tool_calls.0',
    ],
  ])('with %j is refused', (members, param) => {
    expect(() => sent(members)).toThrow(expect.objectContaining({ name: 'Untranslatable', param }))
  })
})

test('a stop sequence at the end, behind which Tencent stops, is taken away', () => {
  const request = { stop: ['！'] }
  const asked = call({ request, stream: true })
  const decoded = decodeWhole(tencentCodec.answers, Buffer.from(fixture('text.json')), asked)
  expect(JSON.parse(decoded.toString()).choices[0].message.content).toBe('你好')
  const decoder = tencentCodec.answers.decoder(asked)
  const events = [...decoder.push(Buffer.from(fixture('text.stream.txt'))), ...decoder.end()]
  expect(Buffer.concat(events).toString()).not.toContain('！')
  expect(Buffer.concat(events).toString()).toContain('你好')
})

test('texts are embedded one by one or together', () => {
  const model = 'hunyuan-embedding'
  const asking = (input: unknown) =>
    call({ endpoint: 'embeddings', model, request: { model, input } })
  const { headers, json } = encoded(tencentCodec, asking('hi'))
  expect(headers).toMatchObject({ 'x-tc-action': 'GetEmbedding' })
  expect(json).toEqual({ Input: 'hi' })
  expect(encoded(tencentCodec, asking(['a', 'b'])).json).toEqual({ InputList: ['a', 'b'] })
  expect(() => encoded(tencentCodec, asking([1]))).toThrow('texts, not tokens')
  const decoded = decodeWhole(
    tencentCodec.answers,
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

test('whatever a request says, it is sent or refused', () => {
  sendsOrRefusesAnything(tencentCodec, call())
})
