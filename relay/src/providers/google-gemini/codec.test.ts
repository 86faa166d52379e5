import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { ProviderCall } from '../../codec/provider-codec.ts'
import { conformance, MADE_ID } from '../../codec/testing/conformance.ts'
import { decodeWhole } from '../../codec/testing/decode-whole.ts'
import { member, parseJson } from '../../json-value.ts'
import { parseUsage } from '../../usage.ts'
import { geminiCodec } from './codec.ts'

const call = (parts: Partial<ProviderCall> = {}): ProviderCall => ({
  endpoint: 'chat',
  request: { messages: [{ role: 'user', content: 'What time is it?' }] },
  model: 'gemini-2.5-flash',
  stream: false,
  channel: { baseUrl: '', key: 'AIza-x', other: '' },
  now: 1_760_000_000_000,
  id: MADE_ID,
  ...parts,
})

const fixture = (name: string) =>
  readFileSync(new URL(`__fixtures__/${name}`, import.meta.url), 'utf8')

const USAGE = { promptTokenCount: 22, candidatesTokenCount: 9, totalTokenCount: 31 }
const COUNTED = { promptTokens: 22, completionTokens: 9 }

const answer = (parts: unknown[], finishReason?: string, more: Record<string, unknown> = {}) => ({
  candidates: [
    {
      content: { role: 'model', parts },
      ...(finishReason === undefined ? {} : { finishReason }),
      index: 0,
      ...more,
    },
  ],
  usageMetadata: USAGE,
  modelVersion: 'gemini-2.5-flash',
  responseId: 'r1',
})

const body = (...given: Parameters<typeof answer>) => JSON.stringify(answer(...given))
const event = (json: unknown) => `data: ${JSON.stringify(json)}\r\n\r\n`
const chunk = (...given: Parameters<typeof answer>) => event(answer(...given))

const BLOCKED = {
  promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
  usageMetadata: { promptTokenCount: 22, totalTokenCount: 22 },
}
const TOOLS = [
  { functionCall: { id: 'fc-1', name: 'get_time', args: { tz: 'UTC' } }, thoughtSignature: 'sig' },
  { functionCall: { name: 'get_date' } },
]
const BOTH = [
  { id: 'fc-1', name: 'get_time', arguments: { tz: 'UTC' } },
  { name: 'get_date', arguments: {} },
]

describe('Gemini', () => {
  conformance('gemini', {
    codec: geminiCodec,
    call,
    answers: [
      {
        name: 'text and thoughts, from the cache',
        body: fixture('text-from-cache.json'),
        says: {
          text: 'Hé là 🎉',
          reasoning: 'Adding up.',
          finish: 'stop',
          usage: {
            promptTokens: 2058,
            completionTokens: 46,
            cachedTokens: 1024,
            reasoningTokens: 39,
          },
        },
      },
      {
        name: 'parallel tools, one without an id',
        body: body(TOOLS, 'STOP'),
        says: { text: '', tools: BOTH, finish: 'tool_calls', usage: COUNTED },
      },
      {
        name: 'cut by length',
        body: body([{ text: 'One' }], 'MAX_TOKENS'),
        says: { text: 'One', finish: 'length', usage: COUNTED },
      },
      {
        name: 'filtered',
        body: body([], 'SAFETY'),
        says: { text: '', finish: 'content_filter', usage: COUNTED },
      },
      {
        name: 'withheld without a word',
        body: body([], 'OTHER'),
        says: { text: '', finish: 'content_filter', usage: COUNTED },
      },
      {
        name: 'stopped for a reason that is not known yet',
        body: body([{ text: 'Yes' }], 'LATER_REASON'),
        says: { text: 'Yes', finish: 'stop', usage: COUNTED },
      },
      {
        name: 'a prompt that is refused',
        body: JSON.stringify(BLOCKED),
        says: {
          text: '',
          finish: 'content_filter',
          usage: { promptTokens: 22, completionTokens: 0 },
        },
      },
    ],
    streams: [
      {
        name: 'a thought and a tool, as the documentation has it',
        bytes: fixture('thought-and-tool.stream.txt'),
        says: {
          text: '',
          reasoning: 'Considering time zones.',
          tools: [{ name: 'get_time', arguments: { tz: 'UTC' } }],
          finish: 'tool_calls',
          usage: { promptTokens: 22, completionTokens: 48, reasoningTokens: 39 },
        },
      },
      {
        name: 'text',
        bytes: chunk([{ text: 'Hé ' }]) + chunk([{ text: 'là 🎉' }]) + chunk([], 'STOP'),
        says: { text: 'Hé là 🎉', finish: 'stop', usage: COUNTED },
      },
      {
        name: 'parallel tools in one event',
        bytes: chunk([{ text: 'I look.' }]) + chunk(TOOLS, 'STOP'),
        says: { text: 'I look.', tools: BOTH, finish: 'tool_calls', usage: COUNTED },
      },
      {
        name: 'cut by length',
        bytes: chunk([{ text: 'O' }]) + chunk([{ text: 'ne' }], 'MAX_TOKENS'),
        says: { text: 'One', finish: 'length', usage: COUNTED },
      },
      {
        name: 'a call that is malformed after words',
        bytes: chunk([{ text: 'One' }]) + chunk([], 'MALFORMED_FUNCTION_CALL'),
        says: { text: 'One', finish: 'stop', usage: COUNTED },
      },
      {
        name: 'a prompt that is refused',
        bytes: event({ modelVersion: 'gemini-2.5-flash' }) + event(BLOCKED),
        says: {
          text: '',
          finish: 'content_filter',
          usage: { promptTokens: 22, completionTokens: 0 },
        },
      },
    ],
    failures: [
      {
        name: 'a body of status 200',
        body: fixture('rate-limit.json'),
        inStream: false,
        kind: 'rate_limit',
      },
      {
        name: 'nothing but a malformed call',
        body: body([], 'MALFORMED_FUNCTION_CALL', { finishMessage: 'Malformed.' }),
        inStream: false,
        kind: 'upstream_fault',
      },
      {
        name: 'an event in the middle',
        body:
          chunk([{ text: 'On' }]) +
          event({ error: { code: 503, message: 'Busy.', status: 'UNAVAILABLE' } }),
        inStream: true,
        kind: 'overloaded',
      },
      {
        name: 'a stream of nothing but a malformed call',
        body: chunk([], 'MALFORMED_FUNCTION_CALL'),
        inStream: true,
        kind: 'upstream_fault',
      },
    ],
  })
})

test('several candidates are several choices, and the stream ends after the last', () => {
  const two = {
    candidates: [0, 1].map((index) => ({ index, content: { parts: [{ text: 'a' }] } })),
  }
  const over = (index: number) => event({ candidates: [{ index, finishReason: 'STOP' }] })
  const request = { n: 2, messages: [] }
  const decoded = (bytes: string) => {
    const decoder = geminiCodec.answers.decoder(call({ stream: true, request }))
    return Buffer.concat([...decoder.push(Buffer.from(bytes)), ...decoder.end()]).toString()
  }
  expect(decoded(event(two) + over(1))).not.toContain('[DONE]')
  const whole = decoded(event(two) + over(1) + over(0))
  expect(whole).toMatch(/\[DONE\]\n\n$/)
  expect(whole.match(/"index":1,"delta":\{"content":"a"\}/g)).toHaveLength(1)
})

test('images are data of the message', () => {
  const parts = [
    { text: 'Here.' },
    { inlineData: { mimeType: 'image/png', data: 'iVBO' }, thoughtSignature: 'sig' },
  ]
  const decoded = decodeWhole(geminiCodec.answers, Buffer.from(body(parts, 'STOP')), call())
  expect(parseJson(decoded.toString())).toMatchObject({
    choices: [
      {
        message: {
          content: 'Here.',
          images: [
            {
              type: 'image_url',
              image_url: { url: 'data:image/png;base64,iVBO' },
              extra_content: { google: { thought_signature: 'sig' } },
            },
          ],
        },
      },
    ],
  })
})

test('logprobs have the form of OpenAI', () => {
  const logprobsResult = {
    chosenCandidates: [{ token: 'é', tokenId: 7, logProbability: -0.5 }],
    topCandidates: [{ candidates: [{ token: 'e', logProbability: -1 }] }],
  }
  const bytes = Buffer.from(body([{ text: 'é' }], 'STOP', { logprobsResult }))
  const logprobs = {
    content: [
      {
        token: 'é',
        logprob: -0.5,
        bytes: [0xc3, 0xa9],
        top_logprobs: [{ token: 'e', logprob: -1, bytes: [0x65] }],
      },
    ],
    refusal: null,
  }
  expect(parseJson(decodeWhole(geminiCodec.answers, bytes, call()).toString())).toMatchObject({
    choices: [{ logprobs }],
  })
  const decoder = geminiCodec.answers.decoder(call({ stream: true }))
  const events = decoder.push(Buffer.from(`data: ${bytes.toString()}\n\n`))
  expect(Buffer.concat(events).toString()).toContain(JSON.stringify(logprobs))
})

test('tokens of sound and of images are told apart from those of text', () => {
  const of = (modality: string, tokenCount: unknown) => ({ modality, tokenCount })
  const usageMetadata = {
    promptTokenCount: 300,
    candidatesTokenCount: 50,
    cachedContentTokenCount: 60,
    promptTokensDetails: [of('TEXT', 20), of('AUDIO', 200), of('IMAGE', 80)],
    cacheTokensDetails: [of('AUDIO', 60)],
    candidatesTokensDetails: [of('AUDIO', 40), of('TEXT', 10), of('IMAGE', 'many')],
  }
  const json = { ...answer([{ text: 'Hi' }], 'STOP'), usageMetadata }
  const decoded = parseJson(
    decodeWhole(geminiCodec.answers, Buffer.from(JSON.stringify(json)), call()).toString(),
  )
  expect(member(decoded, 'usage')).toEqual({
    prompt_tokens: 300,
    completion_tokens: 50,
    total_tokens: 350,
    prompt_tokens_details: {
      cached_tokens: 60,
      audio_tokens: 200,
      image_tokens: 80,
      cached_tokens_details: { audio_tokens: 60 },
    },
    completion_tokens_details: { audio_tokens: 40 },
  })
  expect(parseUsage(member(decoded, 'usage'))).toMatchObject({
    cachedTokens: 60,
    kinds: [
      { kind: 'audio_prompt', tokens: 140 },
      { kind: 'image_prompt', tokens: 80 },
      { kind: 'audio_completion', tokens: 40 },
    ],
  })
  const decoder = geminiCodec.answers.decoder(call({ stream: true }))
  const events = Buffer.concat([...decoder.push(Buffer.from(event(json))), ...decoder.end()])
  expect(events.toString()).toContain('"audio_tokens":200')
})

describe('embeddings', () => {
  const asked = (request: Record<string, unknown>) =>
    call({ endpoint: 'embeddings', model: 'gemini-embedding-001', request })
  const vectors = JSON.stringify({ embeddings: [{ values: [0.5, -2] }, { values: [1, 0] }] })

  test('are asked for in one call', () => {
    const { url, body: sent } = geminiCodec.encode(asked({ input: ['a', 'b'], dimensions: 2 }))
    const { baseUrl, method } = {
      baseUrl: 'https://generativelanguage.googleapis.com',
      method: 'batchEmbedContents',
    }
    expect(url).toBe(`${baseUrl}/v1beta/models/gemini-embedding-001:${method}`)
    const one = (text: string) => ({
      model: 'models/gemini-embedding-001',
      content: { parts: [{ text }] },
      outputDimensionality: 2,
    })
    expect(parseJson(sent.toString())).toEqual({ requests: [one('a'), one('b')] })
    expect(() => geminiCodec.encode(asked({ input: [1, 2] }))).toThrow("'input' must be a text")
  })

  test('come as numbers, or packed', () => {
    const decoded = (request: Record<string, unknown>) =>
      parseJson(decodeWhole(geminiCodec.answers, Buffer.from(vectors), asked(request)).toString())
    expect(decoded({ input: ['a', 'b'] })).toEqual({
      object: 'list',
      data: [
        { object: 'embedding', index: 0, embedding: [0.5, -2] },
        { object: 'embedding', index: 1, embedding: [1, 0] },
      ],
      model: 'gemini-embedding-001',
    })
    expect(decoded({ input: ['a', 'b'], encoding_format: 'base64' })).toMatchObject({
      data: [{ embedding: 'AAAAPwAAAMA=' }, { embedding: 'AACAPwAAAAA=' }],
    })
  })

  test('that are a failure come back as they are', () => {
    const failure = Buffer.from(fixture('rate-limit.json'))
    expect(decodeWhole(geminiCodec.answers, failure, asked({ input: 'a' }))).toBe(failure)
  })
})
