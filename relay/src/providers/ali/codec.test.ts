import { describe, expect, test } from 'vitest'
import type { ProviderCall } from '../../codec/provider-codec.ts'
import { conformance } from '../../codec/testing/conformance.ts'
import { decodeWhole } from '../../codec/testing/decode-whole.ts'
import { callTo, chatJson, encoded, sendsOrRefusesAnything } from '../../codec/testing/encoded.ts'
import { fixturesBeside } from '../../codec/testing/fixtures.ts'
import type { JsonRecord } from '../../json-value.ts'
import { aliCodec } from './codec.ts'

const TEXT = 'https://dashscope.aliyuncs.com/api/v1/services/aigc/text-generation/generation'
const MULTIMODAL = TEXT.replace('text-generation', 'multimodal-generation')

const call = (parts: Partial<ProviderCall> = {}) =>
  callTo({ key: 'sk-1', model: 'qwen-plus' }, parts)
const sent = (members: JsonRecord) => chatJson(aliCodec, call(), members)
const through = (baseUrl: string, other = '') => ({ channel: { baseUrl, key: 'sk-1', other } })

const fixture = fixturesBeside(import.meta.url)
const COUNTED = { promptTokens: 11, completionTokens: 3, cachedTokens: 6, reasoningTokens: 2 }
const TOOLS = [
  { id: 'call_a', name: 'weather', arguments: { city: '北京' } },
  { id: 'call_b', name: 'weather', arguments: { city: '上海' } },
]

conformance('ali', {
  codec: aliCodec,
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
      name: 'of a model that sees',
      body: fixture('vision.json'),
      says: { text: '一只猫', finish: 'stop', usage: COUNTED },
    },
    {
      name: 'of an old model',
      body: fixture('old-form.json'),
      says: { text: '你好', finish: 'stop', usage: { promptTokens: 11, completionTokens: 3 } },
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
      name: 'two calls in pieces',
      bytes: fixture('tools.stream.txt'),
      says: { text: '', tools: TOOLS, finish: 'tool_calls', usage: COUNTED },
    },
    {
      name: 'of a model that sees',
      bytes: fixture('vision.stream.txt'),
      says: { text: '一只猫', finish: 'stop', usage: COUNTED },
    },
    {
      name: 'cut short',
      bytes: fixture('length.stream.txt'),
      says: { text: 'a', finish: 'length', usage: COUNTED },
    },
  ],
  failures: [
    {
      name: 'a refused answer',
      body: fixture('error.json'),
      inStream: false,
      kind: 'content_policy',
    },
    {
      name: 'an answer that is refused while it is said',
      body: fixture('error.stream.txt'),
      inStream: true,
      kind: 'content_policy',
    },
    {
      name: 'too many at once',
      body: 'id:1\nevent:error\n:HTTP_STATUS/429\ndata:{"code":"Throttling.RateQuota","message":"no"}\n\n',
      inStream: true,
      kind: 'rate_limit',
    },
  ],
})

describe('a request', () => {
  test('goes to the native address, and says what streams and plugins need', () => {
    const request = { model: 'qwen-plus', messages: [{ role: 'user', content: 'hi' }] }
    expect(encoded(aliCodec, call({ request }))).toEqual({
      url: TEXT,
      headers: {
        authorization: 'Bearer sk-1',
        'content-type': 'application/json',
        accept: 'application/json',
        'accept-encoding': 'identity',
      },
      json: {
        model: 'qwen-plus',
        input: { messages: [{ role: 'user', content: 'hi' }] },
        parameters: { result_format: 'message' },
      },
    })
    const streaming = encoded(
      aliCodec,
      call({ request, stream: true, ...through('', ' {"pdf_extracter":{}} ') }),
    )
    expect(streaming.headers).toMatchObject({
      accept: 'text/event-stream',
      'x-dashscope-sse': 'enable',
      'x-dashscope-plugin': '{"pdf_extracter":{}}',
    })
    expect(streaming.json['parameters']).toEqual({
      result_format: 'message',
      incremental_output: true,
    })
  })

  test.each([
    ['https://dashscope-intl.aliyuncs.com/', 'https://dashscope-intl.aliyuncs.com/api/v1'],
    ['https://a.example/api/v1', 'https://a.example/api/v1'],
    ['https://a.example/compatible-mode/v1/', 'https://a.example/api/v1'],
  ])('through %s goes to %s', (baseUrl, base) => {
    const { url } = encoded(aliCodec, call(through(baseUrl)))
    expect(url).toBe(`${base}/services/aigc/text-generation/generation`)
  })

  test.each([
    ['qwen-plus', TEXT],
    ['qwen3-max', TEXT],
    ['qwen3.7-max', TEXT],
    ['deepseek-r1', TEXT],
    ['qwen3.5-plus', MULTIMODAL],
    ['qwen3.5-flash', MULTIMODAL],
    ['qwen-vl-max', MULTIMODAL],
    ['qvq-max', MULTIMODAL],
    ['qwen2-audio-instruct', MULTIMODAL],
  ])('to %s goes to %s', (model, url) => {
    expect(encoded(aliCodec, call({ model })).url).toBe(url)
  })

  test('has all its turns, of text as text', () => {
    const calls = [
      { id: 'call_a', type: 'function', function: { name: 'weather', arguments: '{}' } },
      { id: 'call_b', type: 'function', function: { name: 'weather', arguments: '{}' } },
    ]
    const messages = [
      { role: 'developer', content: 'be brief' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      { role: 'assistant', content: null, reasoning_content: 'hm', tool_calls: calls },
      { role: 'tool', tool_call_id: 'call_a', content: 'rain' },
      { role: 'tool', tool_call_id: 'call_b', content: 'sun' },
    ]
    expect(sent({ messages })['input']).toEqual({
      messages: [
        { role: 'system', content: 'be brief' },
        { role: 'user', content: 'a\nb' },
        { role: 'assistant', content: '', reasoning_content: 'hm', tool_calls: calls },
        { role: 'tool', tool_call_id: 'call_a', content: 'rain' },
        { role: 'tool', tool_call_id: 'call_b', content: 'sun' },
      ],
    })
  })

  test('with more than text is written in parts', () => {
    const content = [
      { type: 'text', text: 'what is this?' },
      { type: 'image_url', image_url: { url: 'https://a.example/b.png', detail: 'high' } },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
      { type: 'video_url', video_url: { url: 'https://a.example/b.mp4' } },
    ]
    const messages = [
      { role: 'user', content },
      { role: 'assistant', content: 'a cat' },
    ]
    expect(sent({ messages })['input']).toEqual({
      messages: [
        {
          role: 'user',
          content: [
            { text: 'what is this?' },
            { image: 'https://a.example/b.png' },
            { image: 'data:image/png;base64,AAAA' },
            { audio: 'data:audio/mp3;base64,AAAA' },
            { video: 'https://a.example/b.mp4' },
          ],
        },
        { role: 'assistant', content: [{ text: 'a cat' }] },
      ],
    })
  })

  test('keeps the mark of what is to be cached', () => {
    const cache_control = { type: 'ephemeral' }
    const content = [{ type: 'text', text: 'long', cache_control }]
    expect(sent({ messages: [{ role: 'system', content }] })['input']).toEqual({
      messages: [{ role: 'system', content }],
    })
  })

  const tool = (name: string) => ({ type: 'function', function: { name } })
  const schema = { type: 'json_schema', json_schema: { name: 'a', schema: {} } }

  test.each<[JsonRecord, JsonRecord]>([
    [
      { temperature: 2, top_p: 1 },
      { temperature: 1.99, top_p: 0.9999 },
    ],
    [{ max_completion_tokens: 9, max_tokens: 5 }, { max_tokens: 9 }],
    [
      { n: 2, seed: 1, stop: ['a'] },
      { n: 2, seed: 1, stop: ['a'] },
    ],
    [
      { logprobs: true, top_logprobs: 2 },
      { logprobs: true, top_logprobs: 2 },
    ],
    [{ response_format: schema }, { response_format: schema }],
    [{ reasoning_effort: 'none' }, { enable_thinking: false }],
    [{ reasoning_effort: 'low' }, { enable_thinking: true, thinking_budget: 2048 }],
    [{ reasoning_effort: 'high' }, { enable_thinking: true }],
    [
      { reasoning_effort: 'low', thinking_budget: 99 },
      { enable_thinking: true, thinking_budget: 99 },
    ],
    [{ web_search_options: {} }, { enable_search: true }],
    [
      { top_k: 5, repetition_penalty: 1.1 },
      { top_k: 5, repetition_penalty: 1.1 },
    ],
    [{ tools: [tool('a')] }, { tools: [tool('a')] }],
    [
      { tools: [tool('a')], tool_choice: 'none' },
      { tools: [tool('a')], tool_choice: 'none' },
    ],
    [
      { tools: [tool('a')], tool_choice: 'required' },
      { tools: [tool('a')], tool_choice: tool('a') },
    ],
    [
      { tools: [tool('a'), tool('b')], tool_choice: tool('b') },
      { tools: [tool('a'), tool('b')], tool_choice: tool('b') },
    ],
    [{ user: 'u', frequency_penalty: 1, logit_bias: {}, store: true }, {}],
  ])('with %j is sent with %j', (members, expected) => {
    expect(sent(members)['parameters']).toEqual({ result_format: 'message', ...expected })
  })

  test('to a model whose name asks for a search is sent without the ending', () => {
    const { json } = encoded(aliCodec, call({ model: 'qwen-plus-internet' }))
    expect(json).toMatchObject({ model: 'qwen-plus', parameters: { enable_search: true } })
  })

  test('to a model that thinks in streams only asks it not to think elsewhere', () => {
    const of = (model: string, stream: boolean) =>
      encoded(aliCodec, call({ model, stream })).json['parameters']
    expect(of('qwen3-32b', false)).toMatchObject({ enable_thinking: false })
    expect(of('qwen3-235b-a22b', false)).toMatchObject({ enable_thinking: false })
    expect(of('qwen3-32b', true)).not.toHaveProperty('enable_thinking')
    expect(of('qwen3-235b-a22b-thinking-2507', false)).not.toHaveProperty('enable_thinking')
  })

  test.each<[JsonRecord, string]>([
    [{ audio: {} }, 'audio'],
    [{ tools: [{ type: 'custom', custom: { name: 'a' } }] }, 'tools.0'],
    [{ tools: [tool('a'), tool('b')], tool_choice: 'required' }, 'tool_choice'],
    [
      { messages: [{ role: 'user', content: [{ type: 'file', file: {} }] }] },
      'messages.0.content.0',
    ],
  ])('with %j is refused', (members, param) => {
    expect(() => sent(members)).toThrow(expect.objectContaining({ name: 'Untranslatable', param }))
  })
})

test('an answer keeps its logprobs', () => {
  const decoded = decodeWhole(aliCodec.answers, Buffer.from(fixture('logprobs.json')), call())
  expect(JSON.parse(decoded.toString()).choices[0].logprobs.content[0].token).toBe('a')
})

test('a stream of two choices ends when both have ended', () => {
  const request = { n: 2 }
  const decode = (bytes: string) => {
    const decoder = aliCodec.answers.decoder(call({ stream: true, request }))
    return Buffer.concat([...decoder.push(Buffer.from(bytes)), ...decoder.end()]).toString()
  }
  const whole = fixture('two.stream.txt')
  expect(decode(whole)).toMatch(/"index":1,"delta":\{"content":"b"\}.*\[DONE\]\n\n$/s)
  const withoutLast = whole.split('\n\n').slice(0, 2).join('\n\n')
  expect(decode(`${withoutLast}\n\n`)).not.toContain('[DONE]')
})

describe('a finish reason', () => {
  const said = (...events: [content: string, finish: string][]) => {
    const decoder = aliCodec.answers.decoder(call({ stream: true }))
    const steps = events.map(([content, finish_reason]) => {
      const output = { choices: [{ message: { role: 'assistant', content }, finish_reason }] }
      return decoder.push(Buffer.from(`data:${JSON.stringify({ output })}\n\n`))
    })
    return [...steps, decoder.end()].map((step) => step.join(''))
  }
  const told = (steps: readonly string[]) =>
    steps.map((step) =>
      [...step.matchAll(/"(?:content|finish_reason)":"([^"]+)"/g)].map(([, one]) => one),
    )

  test('is said at once where words came before it', () => {
    expect(told(said(['a', 'null'], ['', 'stop']))).toEqual([['a'], ['stop'], []])
  })

  test('in every event is no end', () => {
    const steps = said(['a', 'stop'], ['b', 'stop'], ['c', 'length'])
    expect(told(steps)).toEqual([['a', 'stop'], ['b'], ['c'], ['length']])
    expect(steps.at(-1)).toMatch(/\[DONE\]\n\n$/)
  })

  test('of an empty first event is held back until the end', () => {
    const steps = said(['', 'stop'], ['Hello', 'null'])
    expect(told(steps)).toEqual([[], ['Hello'], ['stop']])
  })
})

test('texts are embedded together, and come back in their order', () => {
  const model = 'text-embedding-v4'
  const request = { model, input: ['a', 'b'], dimensions: 2, encoding_format: 'float' }
  const asked = call({ endpoint: 'embeddings', model, request })
  expect(encoded(aliCodec, asked)).toMatchObject({
    url: 'https://dashscope.aliyuncs.com/api/v1/services/embeddings/text-embedding/text-embedding',
    json: { model, input: { texts: ['a', 'b'] }, parameters: { dimension: 2 } },
  })
  const decoded = decodeWhole(aliCodec.answers, Buffer.from(fixture('embeddings.json')), asked)
  expect(JSON.parse(decoded.toString())).toEqual({
    object: 'list',
    data: [
      { object: 'embedding', index: 0, embedding: [1, -0.5] },
      { object: 'embedding', index: 1, embedding: [2, 0] },
    ],
    model,
    usage: { prompt_tokens: 3, total_tokens: 3 },
  })
})

test('whatever a request says, it is sent or refused', () => {
  sendsOrRefusesAnything(aliCodec, call())
})
