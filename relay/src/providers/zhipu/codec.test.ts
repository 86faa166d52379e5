import { describe, expect, test } from 'vitest'
import type { ProviderCall, TaskCall } from '../../codec/provider-codec.ts'
import { conformance } from '../../codec/testing/conformance.ts'
import { decodeWhole } from '../../codec/testing/decode-whole.ts'
import { callTo, chatJson, encoded, sendsOrRefusesAnything } from '../../codec/testing/encoded.ts'
import { fixturesBeside } from '../../codec/testing/fixtures.ts'
import type { JsonRecord } from '../../json-value.ts'
import { chatFormAnswers } from './answer.ts'
import { zhipuCodec } from './codec.ts'

const KEY = '0123456789abcdef0123456789abcdef.AbCdEfGhIjKlMnOp'
/** By Zhipu's JWT algorithm (https://docs.bigmodel.cn); recomputed in Python and Node. */
const TOKEN =
  'eyJhbGciOiJIUzI1NiIsInNpZ25fdHlwZSI6IlNJR04ifQ.eyJhcGlfa2V5IjoiMDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWYiLCJleHAiOjE3MzU2ODk4MTAwMDAsInRpbWVzdGFtcCI6MTczNTY4OTYwMDAwMH0.c_yo0FABYDcMkQvgBn_b0D3F6o0ynpme16-5_Yjx0P8'

const call = (parts: Partial<ProviderCall> = {}) =>
  callTo({ key: KEY, model: 'glm-4.5-air' }, parts)
const sent = (members: JsonRecord) => chatJson(zhipuCodec, call(), members)

const fixture = fixturesBeside(import.meta.url)
const COUNTED = { promptTokens: 6, completionTokens: 9, cachedTokens: 4, reasoningTokens: 3 }
const TOOLS = [
  { id: 'call_0', name: 'weather', arguments: { city: '北京' } },
  { id: 'call_1', name: 'weather', arguments: { city: '上海' } },
]

conformance('zhipu', {
  codec: { ...zhipuCodec, answers: chatFormAnswers },
  call,
  answers: [
    {
      name: 'text with reasoning and cached usage',
      body: fixture('text.json'),
      says: { text: '你好', reasoning: '简单问候。', finish: 'stop', usage: COUNTED },
    },
    {
      name: 'two calls',
      body: fixture('tools.json'),
      says: { text: '', tools: TOOLS, finish: 'tool_calls', usage: COUNTED },
    },
    {
      name: 'cut short by the window',
      body: fixture('length.json'),
      says: { text: 'a', finish: 'length', usage: COUNTED },
    },
    {
      name: 'stopped by the filter',
      body: fixture('filter.json'),
      says: { text: '', finish: 'content_filter', usage: COUNTED },
    },
    {
      name: 'an end nobody has heard of',
      body: fixture('unknown-end.json'),
      says: { text: 'a', finish: 'stop', usage: COUNTED },
    },
  ],
  streams: [
    {
      name: 'reasoning, then text',
      bytes: fixture('text.stream.txt'),
      says: { text: '你好', reasoning: '简单问候。', finish: 'stop', usage: COUNTED },
    },
    {
      name: 'two calls',
      bytes: fixture('tools.stream.txt'),
      says: { text: '', tools: TOOLS, finish: 'tool_calls', usage: COUNTED },
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
  passesOn: true,
  failures: [
    {
      name: 'a refusal in the body',
      body: '{"error":{"code":"1301","message":"unsafe"},"contentFilter":[{"role":"user","level":1}]}',
      inStream: false,
      kind: 'content_policy',
    },
    {
      name: 'the way to the model broke',
      body: fixture('broken.json'),
      inStream: false,
      kind: 'upstream_fault',
    },
    {
      name: 'the way to the model broke in the stream',
      body: fixture('broken.stream.txt'),
      inStream: true,
      kind: 'upstream_fault',
    },
    {
      name: 'an error in the stream',
      body: 'data: {"error":{"code":"1302","message":"slow down"}}\n\n',
      inStream: true,
      kind: 'rate_limit',
    },
  ],
})

describe('a request', () => {
  test('goes to v4, with a token that its key has signed', () => {
    const stream = true
    const messages = [
      { role: 'developer', content: 'be brief' },
      { role: 'user', content: 'hi' },
    ]
    const request = { model: 'glm-4.5-air', messages, stream, stream_options: {}, user: 'u-1' }
    expect(encoded(zhipuCodec, call({ stream, request }))).toEqual({
      url: 'https://open.bigmodel.cn/api/paas/v4/chat/completions',
      headers: {
        authorization: `Bearer ${TOKEN}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
        'accept-encoding': 'identity',
      },
      json: {
        model: 'glm-4.5-air',
        messages: [
          { role: 'system', content: 'be brief' },
          { role: 'user', content: 'hi' },
        ],
        stream: true,
        user_id: 'u-1',
      },
    })
  })

  test.each([
    ['https://api.z.ai', 'https://api.z.ai/api/paas/v4/embeddings'],
    ['https://api.z.ai/api/coding/paas/v4/', 'https://api.z.ai/api/coding/paas/v4/embeddings'],
    ['https://proxy.example/zhipu/?a=b', 'https://proxy.example/zhipu/api/paas/v4/embeddings?a=b'],
  ])('through %s goes to %s', (baseUrl, url) => {
    const channel = { baseUrl, key: KEY, other: '' }
    const request = { model: 'embedding-3', input: 'hi' }
    const asked = call({ endpoint: 'embeddings', channel, request })
    expect(encoded(zhipuCodec, asked).url).toBe(url)
  })

  test.each([
    ['sk-of-a-reseller', 'Bearer sk-of-a-reseller'],
    ['a.b.c', 'Bearer a.b.c'],
  ])('with the key %s carries it as it is', (key, authorization) => {
    const channel = { baseUrl: '', key, other: '' }
    expect(encoded(zhipuCodec, call({ channel })).headers).toMatchObject({ authorization })
  })

  test('without a key is not made', () => {
    const channel = { baseUrl: '', key: ' ', other: '' }
    expect(() => encoded(zhipuCodec, call({ channel }))).toThrow('must be id.secret')
  })

  test('keeps tools, past calls and their results, and sends images as bare data', () => {
    const tools = [{ type: 'function', function: { name: 'weather', parameters: {} } }]
    const past = [
      { id: 'call_0', type: 'function', function: { name: 'weather', arguments: '{}' } },
      { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } },
    ]
    const turns = [
      { role: 'assistant', content: null, reasoning_content: 'hm', tool_calls: past },
      { role: 'tool', tool_call_id: 'call_0', content: 'rain' },
      { role: 'tool', tool_call_id: 'call_1', content: 'sun' },
    ]
    const image = (url: string) => ({ type: 'image_url', image_url: { url } })
    const asking = (url: string) => ({
      role: 'user',
      content: [{ type: 'text', text: 'where?' }, image(url), image('https://a.example/b.png')],
    })
    const messages = [asking('data:image/png;base64,AAAA'), ...turns]
    expect(sent({ messages, tools, tool_choice: 'auto' })).toEqual({
      model: 'glm-4.5-air',
      messages: [asking('AAAA'), ...turns],
      tools,
      tool_choice: 'auto',
    })
    expect(sent({ tools, tool_choice: 'none' })).not.toHaveProperty('tools')
  })

  test.each<[JsonRecord, JsonRecord]>([
    [{ temperature: 0 }, { temperature: 0.01, do_sample: false }],
    [{ temperature: 1.5 }, { temperature: 0.99 }],
    [{ temperature: 0.5 }, { temperature: 0.5 }],
    [{ temperature: 0, model: 'glm-4.6' }, { temperature: 0 }],
    [{ temperature: 2, model: 'glm-5.1' }, { temperature: 1 }],
    [{ top_p: 1 }, { top_p: 0.99 }],
    [{ stop: 'end' }, { stop: ['end'] }],
    [{ stop: null }, {}],
    [{ max_completion_tokens: 9, max_tokens: 5 }, { max_tokens: 9 }],
    [{ reasoning_effort: 'none' }, { thinking: { type: 'disabled' } }],
    [{ reasoning_effort: 'high' }, { thinking: { type: 'enabled' } }],
    [{ thinking: { type: 'disabled' } }, { thinking: { type: 'disabled' } }],
    [{ response_format: { type: 'json_object' } }, { response_format: { type: 'json_object' } }],
    [{ seed: 7, logit_bias: {}, presence_penalty: 1, n: 1, logprobs: false }, { seed: 7 }],
    [
      { tools: [{ type: 'web_search', web_search: {} }] },
      { tools: [{ type: 'web_search', web_search: {} }] },
    ],
  ])('with %j is sent with %j', (members, expected) => {
    const { messages, ...rest } = sent(members)
    expect(messages).toEqual([{ role: 'user', content: 'hi' }])
    expect(rest).toEqual({ model: members['model'] ?? 'glm-4.5-air', ...expected })
  })

  test.each<[JsonRecord, string]>([
    [{ n: 2 }, 'n'],
    [{ logprobs: true }, 'logprobs'],
    [{ audio: { voice: 'a' } }, 'audio'],
    [{ stop: ['a', 'b'] }, 'stop'],
    [{ web_search_options: {} }, 'web_search_options'],
    [{ response_format: { type: 'json_schema', json_schema: {} } }, 'response_format'],
    [{ tools: [{ type: 'custom', custom: { name: 'a' } }] }, 'tools.0'],
    [{ functions: [{ name: 'f' }] }, 'functions'],
    [
      { tools: [{ type: 'function', function: { name: 'a' } }], tool_choice: 'required' },
      'tool_choice',
    ],
    [
      { messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }] },
      'messages.0.content.0',
    ],
    [
      { messages: [{ role: 'user', content: [{ type: 'file', file: {} }] }] },
      'messages.0.content.0',
    ],
  ])('with %j is refused', (members, param) => {
    expect(() => sent(members)).toThrow(expect.objectContaining({ name: 'Untranslatable', param }))
  })
})

test('a recording goes as it is, with a token that its key has signed', () => {
  const { channel, now, id } = call()
  const endpoint = 'transcriptions'
  const contentType = 'multipart/form-data; boundary=x'
  const body = Buffer.from('as it is')
  const task = { endpoint, model: 'glm-asr-2512', channel, now, id, contentType, body } as const
  expect(zhipuCodec.encodeTask(task)).toEqual({
    url: 'https://open.bigmodel.cn/api/paas/v4/audio/transcriptions',
    headers: {
      authorization: `Bearer ${TOKEN}`,
      'content-type': contentType,
      accept: '*/*',
      'accept-encoding': 'identity',
    },
    body,
  })
})

describe('embeddings', () => {
  const embed = (members: JsonRecord, model = 'embedding-3') =>
    encoded(zhipuCodec, call({ endpoint: 'embeddings', model, request: { model, ...members } }))
      .json

  test('are asked for as OpenAI asks, but without its packing', () => {
    const input = ['a', 'b']
    const dimensions = 256
    expect(embed({ input, dimensions, encoding_format: 'base64' })).toEqual({
      model: 'embedding-3',
      input,
      dimensions,
    })
    expect(embed({ input: ['a'] }, 'embedding-2')).toEqual({ model: 'embedding-2', input: 'a' })
  })

  test('of tokens, or of several texts from a model that takes one, are refused', () => {
    expect(() => embed({ input: [1, 2] })).toThrow('texts, not tokens')
    expect(() => embed({ input: ['a', 'b'] }, 'embedding-2')).toThrow('one text at a time')
  })

  test('are packed where the client asked for that', () => {
    const body = Buffer.from(
      '{"object":"list","model":"embedding-3","data":[{"object":"embedding","index":0,"embedding":[1,-0.5]}],"usage":{"prompt_tokens":1,"total_tokens":1}}',
    )
    const decoded = (encoding_format: string) => {
      const asked = call({ endpoint: 'embeddings', request: { encoding_format } })
      return JSON.parse(decodeWhole(chatFormAnswers, body, asked).toString())
    }
    expect(decoded('float')).toEqual(JSON.parse(body.toString()))
    expect(decoded('base64').data[0].embedding).toBe('AACAPwAAAL8=')
  })
})

test('the usage of a stream is an event of its own', () => {
  const decoder = chatFormAnswers.decoder(call({ stream: true }))
  const events = decoder.push(Buffer.from(fixture('length.stream.txt'))).map(String)
  expect(events).toHaveLength(3)
  expect(events[1]).not.toContain('usage')
  expect(events[2]).toContain('"choices":[]')
  expect(decoder.end().map(String)).toEqual(['data: [DONE]\n\n'])
})

test('whatever a request says, it is sent or refused', () => {
  sendsOrRefusesAnything(zhipuCodec, call())
})

describe('what is no chat', () => {
  const asked = (endpoint: TaskCall['endpoint'], request: object): TaskCall => ({
    endpoint,
    model: 'm',
    channel: { baseUrl: '', key: KEY, other: '' },
    now: 1_735_689_600_000,
    id: 'r-1',
    body: Buffer.from(JSON.stringify(request)),
    contentType: 'application/json',
  })

  test('images go to their own address, with a signed token', () => {
    const call = asked('images', { model: 'cogview-3', prompt: 'a cat', quality: 'hd' })
    const { url, headers, body } = zhipuCodec.encodeTask(call)
    expect(url).toBe('https://open.bigmodel.cn/api/paas/v4/images/generations')
    expect(headers).toEqual({
      'content-type': 'application/json',
      accept: '*/*',
      'accept-encoding': 'identity',
      authorization: `Bearer ${TOKEN}`,
    })
    expect(JSON.parse(body.toString())).toEqual({
      model: 'cogview-3',
      prompt: 'a cat',
      quality: 'hd',
    })
  })

  const sentAs = (endpoint: TaskCall['endpoint'], request: object) =>
    JSON.parse(zhipuCodec.encodeTask(asked(endpoint, request)).body.toString())

  test('one image is asked for by its address, in no words but those that are known', () => {
    const request = { prompt: 'a cat', n: 1, response_format: 'url', stream: false }
    expect(sentAs('images', { ...request, partial_images: 0, watermark_enabled: false })).toEqual({
      prompt: 'a cat',
      watermark_enabled: false,
    })
  })

  test.each([
    ['images', 'response_format', 'b64_json'],
    ['images', 'n', 2],
    ['images', 'stream', true],
    ['speech', 'response_format', 'mp3'],
    ['speech', 'stream_format', 'sse'],
  ] as const)('%s with %s %j is refused: the answer would be another', (endpoint, param, value) => {
    expect(() => sentAs(endpoint, { [param]: value })).toThrow(
      expect.objectContaining({ name: 'Untranslatable', param }),
    )
  })

  test('speech is wav where nothing else is said', () => {
    const request = { model: 'glm-tts', input: 'hi', voice: 'tongtong' }
    expect(sentAs('speech', { ...request, stream: false, stream_format: 'audio' })).toEqual({
      ...request,
      response_format: 'wav',
    })
    expect(sentAs('speech', { ...request, response_format: 'pcm' })).toEqual({
      ...request,
      response_format: 'pcm',
    })
    const { url } = zhipuCodec.encodeTask(asked('speech', request))
    expect(url).toBe('https://open.bigmodel.cn/api/paas/v4/audio/speech')
  })

  test('rerank compares texts', () => {
    const request = {
      model: 'rerank',
      query: { text: 'q' },
      documents: ['a', { text: 'b' }],
      top_n: 1,
    }
    const { url, body } = zhipuCodec.encodeTask(asked('rerank', request))
    expect(url).toBe('https://open.bigmodel.cn/api/paas/v4/rerank')
    expect(JSON.parse(body.toString())).toEqual({
      model: 'rerank',
      query: 'q',
      documents: ['a', 'b'],
      top_n: 1,
    })
    const pictures = { query: 'q', documents: ['a', { image: 'https://a.example/b.png' }] }
    expect(() => zhipuCodec.encodeTask(asked('rerank', pictures))).toThrow(
      expect.objectContaining({ name: 'Untranslatable', param: 'documents.1' }),
    )
  })
})
