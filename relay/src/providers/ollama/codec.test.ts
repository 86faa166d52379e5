import { describe, expect, test } from 'vitest'
import type { ProviderCall } from '../../codec/provider-codec.ts'
import { conformance, MADE_ID } from '../../codec/testing/conformance.ts'
import { decodeWhole } from '../../codec/testing/decode-whole.ts'
import { answers, failures, streams, TEXT_STREAM } from './__fixtures__/wire.ts'
import { ollamaCodec } from './codec.ts'

function call(parts: Partial<ProviderCall> = {}): ProviderCall {
  return {
    endpoint: 'chat',
    request: { model: 'qwen3', messages: [{ role: 'user', content: 'Hi' }] },
    model: 'qwen3',
    stream: false,
    channel: { baseUrl: '', key: '', other: '' },
    now: 1_700_000_000_000,
    id: MADE_ID,
    ...parts,
  }
}

conformance('ollama', {
  codec: ollamaCodec,
  call,
  answers,
  streams,
  failures,
  framing: 'lines',
})

function encode(request: object, parts: Partial<ProviderCall> = {}) {
  const { body } = ollamaCodec.encode(call({ ...parts, request: { ...request } }))
  return JSON.parse(body.toString())
}
const messages = [{ role: 'user', content: 'Hi' }]

describe('what is sent', () => {
  test('goes to the address of the channel, with its key where it has one', () => {
    const { url, headers } = ollamaCodec.encode(call())
    expect(url).toBe('http://localhost:11434/api/chat')
    expect(headers).toEqual({
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
    })
    const channel = { baseUrl: 'https://ollama.com/api/?tenant=7', key: 'cloud-key', other: '' }
    const cloud = ollamaCodec.encode(call({ channel, stream: true }))
    expect(cloud.url).toBe('https://ollama.com/api/chat?tenant=7')
    expect(cloud.headers).toMatchObject({
      authorization: 'Bearer cloud-key',
      accept: 'application/x-ndjson',
    })
    const embeds = call({ endpoint: 'embeddings', channel, request: { input: 'a' } })
    expect(ollamaCodec.encode(embeds).url).toBe('https://ollama.com/api/embed?tenant=7')
  })

  test('has the limit and the settings among the options', () => {
    const request = {
      messages: [{ role: 'developer', content: 'Be brief.' }, ...messages],
      max_tokens: 5,
      max_completion_tokens: 9,
      temperature: 0.2,
      top_p: 0.9,
      seed: 7,
      presence_penalty: 0.1,
      frequency_penalty: 0.3,
      stop: 'END',
      num_ctx: 8192,
      user: 'u',
      logit_bias: { 5: 1 },
      parallel_tool_calls: false,
      reasoning_effort: 'minimal',
      logprobs: true,
      top_logprobs: 2,
    }
    expect(encode(request, { stream: true })).toEqual({
      model: 'qwen3',
      stream: true,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
      think: 'low',
      logprobs: true,
      top_logprobs: 2,
      options: {
        num_predict: 9,
        temperature: 0.2,
        top_p: 0.9,
        seed: 7,
        presence_penalty: 0.1,
        frequency_penalty: 0.3,
        stop: ['END'],
        num_ctx: 8192,
      },
    })
    expect(encode({ messages })).toEqual({ model: 'qwen3', stream: false, messages })
    expect(encode({ messages, reasoning_effort: 'none' })).toMatchObject({ think: false })
    expect(encode({ messages, stop: ['a', 'b'] }).options).toEqual({ stop: ['a', 'b'] })
  })

  test('tells of images, tools, parallel calls, their results and earlier thinking', () => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } } }
    const weather = { name: 'weather', description: 'Now.', parameters }
    const named = (id: string, text: string) => ({
      id,
      type: 'function',
      function: { name: 'weather', arguments: text },
    })
    const request = {
      tools: [{ type: 'function', function: { ...weather, strict: true } }],
      tool_choice: 'auto',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Where is this?' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
            { type: 'text', text: 'And the weather?' },
          ],
        },
        {
          role: 'assistant',
          content: null,
          reasoning_content: 'Two cities.',
          tool_calls: [named('call_1', '{"city":"Oslo"}'), named('call_2', '{"city":')],
        },
        { role: 'tool', tool_call_id: 'call_2', content: 'rain' },
        { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: 'sun' }] },
      ],
    }
    expect(encode(request)).toEqual({
      model: 'qwen3',
      stream: false,
      tools: [{ type: 'function', function: weather }],
      messages: [
        { role: 'user', content: 'Where is this?\nAnd the weather?', images: ['aGk='] },
        {
          role: 'assistant',
          content: '',
          thinking: 'Two cities.',
          tool_calls: [
            { id: 'call_1', function: { index: 0, name: 'weather', arguments: { city: 'Oslo' } } },
            {
              id: 'call_2',
              function: { index: 1, name: 'weather', arguments: { arguments: '{"city":' } },
            },
          ],
        },
        { role: 'tool', content: 'rain', tool_name: 'weather', tool_call_id: 'call_2' },
        { role: 'tool', content: 'sun', tool_name: 'weather', tool_call_id: 'call_1' },
      ],
    })
    expect(encode({ ...request, tool_choice: 'none' })).not.toHaveProperty('tools')
  })

  test('holds the answer to JSON or to a schema', () => {
    const schema = { type: 'object' }
    const format = (response_format: object) => encode({ messages, response_format }).format
    expect(format({ type: 'json_schema', json_schema: { name: 'a', schema } })).toEqual(schema)
    expect(format({ type: 'json_object' })).toBe('json')
    expect(format({ type: 'text' })).toBeUndefined()
  })

  const part = (content: object) => ({ messages: [{ role: 'user', content: [content] }] })
  test.each<[string, object, string]>([
    ['several choices', { messages, n: 2 }, 'n'],
    ['audio', { messages, modalities: ['text', 'audio'] }, 'audio'],
    ['web search', { messages, web_search_options: {} }, 'web_search_options'],
    ['a call that must be', { messages, tool_choice: 'required' }, 'tool_choice'],
    ['another tool', { messages, tools: [{ type: 'custom', custom: {} }] }, 'tools.0'],
    ['a file', part({ type: 'file', file: { file_id: 'f' } }), 'messages.0.content.0'],
    [
      'an image by address',
      part({ type: 'image_url', image_url: { url: 'https://a.example/b.png' } }),
      'messages.0.content.0',
    ],
    ['audio in', part({ type: 'input_audio', input_audio: { data: 'a' } }), 'messages.0.content.0'],
    ['another role', { messages: [{ role: 'critic', content: 'No.' }] }, 'messages.0'],
  ])('cannot be %s', (_name, request, param) => {
    expect(() => encode(request)).toThrow(
      expect.objectContaining({ name: 'Untranslatable', param }),
    )
  })
})

test('tells log probabilities as OpenAI does', () => {
  const logprobs = [
    {
      token: 'Hi',
      logprob: -0.1,
      bytes: [72, 105],
      top_logprobs: [{ token: 'Hi', logprob: -0.1 }],
    },
  ]
  const said = { model: 'm', message: { role: 'assistant', content: 'Hi' }, logprobs, done: true }
  const told = { content: logprobs, refusal: null }
  const answer = decodeWhole(ollamaCodec.answers, Buffer.from(JSON.stringify(said)), call())
  expect(JSON.parse(answer.toString()).choices[0].logprobs).toEqual(told)
  const decoder = ollamaCodec.answers.decoder(call({ stream: true }))
  const [, text = ''] = decoder.push(Buffer.from(`${JSON.stringify(said)}\n`)).map(String)
  expect(JSON.parse(text.slice('data: '.length)).choices[0]).toMatchObject({
    delta: { content: 'Hi' },
    logprobs: told,
  })
})

test('begins its events alike, and dates them as the provider does', () => {
  const decoder = ollamaCodec.answers.decoder(call({ stream: true }))
  const events = decoder.push(Buffer.from(TEXT_STREAM)).map(String)
  expect(events[0]).toBe(
    `data: {"id":"${MADE_ID}","created":1767225600,"model":"qwen3","object":"chat.completion.chunk",` +
      '"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\n',
  )
  expect(events.at(-1)).toBe('data: [DONE]\n\n')
})

test('an error that tells nothing is none', () => {
  const withNone = (text: string) => text.replaceAll(/^\{/gm, '{"error":null,')
  const decoded = (text: string) =>
    ollamaCodec.answers
      .decoder(call({ stream: true }))
      .push(Buffer.from(text))
      .join('')
  expect(decoded(withNone(TEXT_STREAM))).toBe(decoded(TEXT_STREAM))
  const [whole] = answers
  const answer = JSON.parse(
    decodeWhole(ollamaCodec.answers, Buffer.from(withNone(whole?.body ?? '')), call()).toString(),
  )
  expect(answer).toHaveProperty('choices')
})

describe('embeddings', () => {
  const embedding = (request: object) => call({ endpoint: 'embeddings', request: { ...request } })
  const answered = { model: 'nomic', embeddings: [[0.5, -2]], prompt_eval_count: 3 }

  test('are asked of texts', () => {
    const parts = { endpoint: 'embeddings', model: 'nomic' } as const
    expect(encode({ input: ['a', 'b'], dimensions: 64 }, parts)).toEqual({
      model: 'nomic',
      input: ['a', 'b'],
      dimensions: 64,
    })
    expect(encode({ input: 'a' }, parts)).toEqual({ model: 'nomic', input: ['a'] })
    expect(() => encode({ input: [1, 2] }, parts)).toThrow('texts, not tokens')
  })

  test('come back in order, packed where that is asked', () => {
    const body = Buffer.from(JSON.stringify(answered))
    const plain = JSON.parse(decodeWhole(ollamaCodec.answers, body, embedding({})).toString())
    expect(plain).toEqual({
      object: 'list',
      model: 'nomic',
      data: [{ object: 'embedding', index: 0, embedding: [0.5, -2] }],
      usage: { prompt_tokens: 3, total_tokens: 3 },
    })
    const asked = embedding({ encoding_format: 'base64' })
    const packed = JSON.parse(decodeWhole(ollamaCodec.answers, body, asked).toString())
    const bytes = Buffer.from(packed.data[0].embedding, 'base64')
    expect([bytes.readFloatLE(0), bytes.readFloatLE(4)]).toEqual([0.5, -2])
  })

  test('that failed come back as they are', () => {
    const body = Buffer.from('{"error":"model \\"x\\" not found, try pulling it first"}')
    expect(decodeWhole(ollamaCodec.answers, body, embedding({}))).toBe(body)
  })
})

describe('completions', () => {
  const completion = (request: object, stream = false) =>
    encode({ model: 'm', ...request }, { endpoint: 'completions', stream })

  test('go to the endpoint that has the form of OpenAI, whose answers pass', () => {
    const one = call({ endpoint: 'completions', request: { prompt: 'a' } })
    expect(ollamaCodec.encode(one).url).toBe('http://localhost:11434/v1/completions')
    expect(completion({ prompt: ['a'], suffix: 'b', user: 'u' }, true)).toEqual({
      model: 'qwen3',
      prompt: 'a',
      suffix: 'b',
      stream: true,
      stream_options: { include_usage: true },
    })
    const body = Buffer.from('{}')
    expect(decodeWhole(ollamaCodec.answers, body, one)).toBe(body)
    const decoder = ollamaCodec.answers.decoder(one)
    const events = [...decoder.push(Buffer.from('data: {}\n\ndata: [DONE]')), ...decoder.end()]
    expect(events.map(String)).toEqual(['data: {}\n\n', 'data: [DONE]'])
  })

  test.each<[object, string]>([
    [{ prompt: ['a', 'b'] }, 'prompt'],
    [{ prompt: [1, 2] }, 'prompt'],
    [{ prompt: 'a', n: 2 }, 'n'],
    [{ prompt: 'a', best_of: 2 }, 'best_of'],
    [{ prompt: 'a', echo: true }, 'echo'],
    [{ prompt: 'a', logprobs: 3 }, 'logprobs'],
  ])('refuse %j', (request, param) => {
    expect(() => completion(request)).toThrow(
      expect.objectContaining({ name: 'Untranslatable', param }),
    )
  })
})
