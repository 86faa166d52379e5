import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type ProviderCall, UnsupportedParameterError } from '../../codec/provider-codec.ts'
import { conformance, MADE_ID } from '../../codec/testing/conformance.ts'
import { decodeWhole } from '../../codec/testing/decode-whole.ts'
import { parseJson } from '../../json-value.ts'
import { palmCodec } from './codec.ts'

const QUESTION = [{ role: 'user', content: 'What time is it?' }]

const call = (parts: Partial<ProviderCall> = {}): ProviderCall => ({
  endpoint: 'chat',
  request: { messages: QUESTION },
  model: 'PaLM-2',
  stream: false,
  channel: { baseUrl: '', key: 'AIza-x', other: '' },
  now: 1_760_000_000_000,
  id: MADE_ID,
  ...parts,
})

const fixture = (name: string) =>
  readFileSync(new URL(`__fixtures__/${name}`, import.meta.url), 'utf8')

const FAILURE = JSON.stringify({
  error: { code: 404, message: 'models/x is not found.', status: 'NOT_FOUND' },
})
const SAID = { text: 'Hé là 🎉', finish: 'stop', usage: null } as const
const FILTERED = { text: '', finish: 'content_filter', usage: null } as const

describe('PaLM', () => {
  conformance('palm', {
    codec: palmCodec,
    call,
    answers: [
      { name: 'text', body: fixture('text.json'), says: SAID },
      { name: 'filtered', body: fixture('filtered.json'), says: FILTERED },
    ],
    streams: [
      { name: 'text', bytes: fixture('text.json'), says: SAID },
      { name: 'filtered', bytes: fixture('filtered.json'), says: FILTERED },
    ],
    failures: [
      { name: 'a body', body: FAILURE, inStream: false, kind: 'model_missing' },
      { name: 'instead of a stream', body: FAILURE, inStream: true, kind: 'model_missing' },
    ],
    framing: 'lines',
    lacks: ['usage', 'length'],
  })
})

const HOST = 'https://generativelanguage.googleapis.com'

test('a conversation is told with its context', () => {
  const request = {
    messages: [
      { role: 'system', content: 'Be short.' },
      { role: 'developer', content: [{ type: 'text', text: 'In French.' }] },
      ...QUESTION,
      { role: 'assistant', content: 'Noon.' },
      { role: 'assistant', content: null },
      { role: 'user', content: ['And ', { type: 'text', text: 'the date?' }] },
    ],
    temperature: 2,
    top_p: 0.5,
    top_k: 3,
    n: 2,
    max_tokens: 9,
    tools: [],
  }
  const { url, headers, body } = palmCodec.encode(call({ request, stream: true }))
  expect(url).toBe(`${HOST}/v1beta2/models/chat-bison-001:generateMessage`)
  expect(headers).toEqual({
    'x-goog-api-key': 'AIza-x',
    'content-type': 'application/json',
    accept: 'application/json',
    'accept-encoding': 'identity',
  })
  expect(parseJson(body.toString())).toEqual({
    prompt: {
      context: 'Be short.\n\nIn French.',
      messages: [
        { author: '0', content: 'What time is it?' },
        { author: '1', content: 'Noon.' },
        { author: '0', content: 'And the date?' },
      ],
    },
    temperature: 1,
    topP: 0.5,
    topK: 3,
    candidateCount: 2,
  })
})

test('a choice that did not come was filtered', () => {
  const request = { messages: QUESTION, n: 2 }
  const body = decodeWhole(palmCodec.answers, Buffer.from(fixture('text.json')), call({ request }))
  expect(parseJson(body.toString())).toMatchObject({
    choices: [{ finish_reason: 'stop' }, { finish_reason: 'content_filter' }],
  })
})

test('an answer of any size is not collected', () => {
  const decoder = palmCodec.answers.decoder(call({ stream: true }))
  for (let piece = 0; piece < 3; piece += 1) decoder.push(Buffer.alloc(600_000))
  expect(Buffer.concat(decoder.end()).toString()).toContain('is too large')
})

test('models of Gemini are spoken to as such', () => {
  const gemini = call({ model: 'gemini-2.5-flash', stream: true })
  expect(palmCodec.encode(gemini).url).toBe(
    `${HOST}/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse`,
  )
  const said = { candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }] }
  const decoder = palmCodec.answers.decoder(gemini)
  const events = decoder.push(Buffer.from(`data: ${JSON.stringify(said)}\n\n`))
  expect(Buffer.concat([...events, ...decoder.end()]).toString()).toMatch(/"Hi".*\[DONE\]/s)
  const body = decodeWhole(palmCodec.answers, Buffer.from(JSON.stringify(said)), gemini)
  expect(parseJson(body.toString())).toMatchObject({ choices: [{ message: { content: 'Hi' } }] })
})

test.each<[Record<string, unknown>, string]>([
  [{ n: 9 }, 'n'],
  [{ tools: [{}] }, 'tools'],
  [{ functions: [{}] }, 'functions'],
  [{ stop: 'END' }, 'stop'],
  [{ logprobs: true }, 'logprobs'],
  [{ modalities: ['audio'] }, 'modalities'],
  [{ audio: {} }, 'audio'],
  [{ response_format: { type: 'json_object' } }, 'response_format'],
  [{ messages: [{ role: 'tool', content: '' }] }, 'messages.0.role'],
  [{ messages: [{ role: 'assistant', tool_calls: [{}] }] }, 'messages.0.tool_calls'],
  [{ messages: [{ role: 'user', content: [{ type: 'image_url' }] }] }, 'messages.0.content'],
])('refused is %j', (request, param) => {
  expect.assertions(1)
  try {
    palmCodec.encode(call({ request: { messages: QUESTION, ...request } }))
  } catch (error) {
    expect(error instanceof UnsupportedParameterError && error.param).toBe(param)
  }
})
