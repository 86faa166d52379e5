import { describe, expect, test } from 'vitest'
import { METERED, relayStream } from '../../testing/relay-stream.ts'
import { CLIENTS } from '../../testing/vendors/sent-requests.ts'
import { type JsonRecord, listOf, member, parseJson, textOf } from '../bytes/json-value.ts'
import { finish } from '../bytes/steps.ts'
import { descriptorOf } from '../catalogue.ts'
import { codecOf } from '../codecs.ts'
import type { Citation } from '../form/events.ts'
import { annotationOf, citationsInItem } from './annotations.ts'
import { withoutOwnCitations } from './anthropic-messages/citations.ts'
import { citationsOf } from './gemini/grounding.ts'
import { readChatAnswer } from './openai-chat/chat-answer.ts'
import type { ProviderCall } from './provider-codec.ts'

const PAGE = { url: 'https://a.example', title: 'A' }
/** The second character takes three bytes. */
const [FIRST, CITED] = ['A’s ', 'answer']
const PLACE = { start_index: FIRST.length, end_index: FIRST.length + CITED.length }
const BYTES = { startIndex: Buffer.byteLength(FIRST), endIndex: Buffer.byteLength(FIRST + CITED) }
const IN_CHAT = { type: 'url_citation', url_citation: { ...PLACE, ...PAGE } }
const IN_RESPONSES = { type: 'url_citation', ...PLACE, ...PAGE }
const LOCATION = {
  type: 'web_search_result_location',
  cited_text: '',
  ...PAGE,
  encrypted_index: '',
}
const GROUNDED = {
  groundingChunks: [{ web: { uri: PAGE.url, title: PAGE.title } }],
  groundingSupports: [{ segment: { ...BYTES, text: CITED }, groundingChunkIndices: [0] }],
}

/** How each API says the same. */
const CHAT_STREAM = [{ content: FIRST }, { content: CITED }, { annotations: [IN_CHAT] }].map(
  (delta) => ({ id: 'c1', model: 'm', choices: [{ index: 0, delta, finish_reason: null }] }),
)
const CHAT_END = {
  id: 'c1',
  model: 'm',
  choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
}
const MESSAGE = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [] }
const BLOCKS = [
  { type: 'text', text: FIRST },
  { type: 'text', text: CITED, citations: [{ ...LOCATION, encrypted_index: 'E' }] },
]
const RESPONSE = {
  id: 'resp_1',
  model: 'm',
  status: 'completed',
  output: [
    {
      type: 'message',
      content: [{ type: 'output_text', text: FIRST + CITED, annotations: [IN_RESPONSES] }],
    },
  ],
}
const candidate = (text: string, more: JsonRecord = {}) => ({
  candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] }, ...more }],
})
const GEMINI_END = { finishReason: 'STOP', groundingMetadata: GROUNDED }

type Said = { readonly type: number | null; readonly stream: object[]; readonly whole: object }

const PROVIDERS: Readonly<Record<string, Said>> = {
  chat: {
    type: null,
    stream: [...CHAT_STREAM, CHAT_END],
    whole: {
      choices: [
        {
          message: { content: FIRST + CITED, annotations: [IN_CHAT] },
          finish_reason: 'stop',
        },
      ],
    },
  },
  messages: {
    type: 14,
    stream: [
      { type: 'message_start', message: MESSAGE },
      ...BLOCKS.flatMap(({ text, citations = [] }, index) => [
        { type: 'content_block_start', index, content_block: { type: 'text', text: '' } },
        // Claude sends citations before their text (vercel/ai#11835).
        ...citations.map((citation) => ({
          type: 'content_block_delta',
          index,
          delta: { type: 'citations_delta', citation },
        })),
        { type: 'content_block_delta', index, delta: { type: 'text_delta', text } },
        { type: 'content_block_stop', index },
      ]),
      { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
      { type: 'message_stop' },
    ],
    whole: { ...MESSAGE, content: BLOCKS, stop_reason: 'end_turn' },
  },
  responses: {
    type: 1002,
    stream: [
      { type: 'response.created', response: { ...RESPONSE, status: 'in_progress', output: [] } },
      { type: 'response.completed', response: RESPONSE },
    ],
    whole: RESPONSE,
  },
  gemini: {
    type: 24,
    stream: [candidate(FIRST), candidate(CITED, GEMINI_END), candidate('', GEMINI_END)],
    whole: candidate(FIRST + CITED, GEMINI_END),
  },
}

// Safe because a decoder needs no more of a call.
const CALL = { id: 'r', model: 'm', now: 0, request: {}, channel: {} } as unknown as ProviderCall

const ASKED: Readonly<Record<string, object>> = {
  responses: { model: 'm', input: 'hi', stream: true },
}

function dialectOf(client: string) {
  const dialect = CLIENTS[client]?.dialect() ?? expect.fail(client)
  const asked = ASKED[client]
  if (asked) finish(dialect.readRequest('chat', Buffer.from(JSON.stringify(asked)), {}))
  return dialect
}

const descriptor = (type: number) => descriptorOf(type) ?? expect.fail('no provider')

const bytesOf = (events: readonly object[]) =>
  events.map((event) => Buffer.from(`data: ${JSON.stringify(event)}\n\n`))

const jsonsIn = (bytes: string): readonly unknown[] =>
  bytes.startsWith('[')
    ? listOf(parseJson(bytes))
    : bytes
        .split('\n')
        .filter((line) => line.startsWith('data: '))
        .map((line) => parseJson(line.slice('data: '.length)))

const first = (value: unknown, name: string) => listOf(member(value, name))[0]

/** The citations that a client gets, in its own form. */
const STREAMED: Readonly<Record<string, (events: readonly unknown[]) => unknown[]>> = {
  chat: (events) =>
    events.flatMap((event) =>
      listOf(member(member(first(event, 'choices'), 'delta'), 'annotations')),
    ),
  messages: (events) => events.flatMap((event) => member(member(event, 'delta'), 'citation') ?? []),
  responses: (events) => events.flatMap((event) => member(event, 'annotation') ?? []),
  gemini: (events) =>
    events.flatMap((event) => member(first(event, 'candidates'), 'groundingMetadata') ?? []),
}
const WHOLE: Readonly<Record<string, (answer: unknown) => unknown[]>> = {
  chat: (answer) => [...listOf(member(member(first(answer, 'choices'), 'message'), 'annotations'))],
  messages: (answer) => [...listOf(member(first(answer, 'content'), 'citations'))],
  responses: (answer) => [
    ...listOf(member(first(first(answer, 'output'), 'content'), 'annotations')),
  ],
  gemini: (answer) => [member(first(answer, 'candidates'), 'groundingMetadata')],
}
const EXPECTED: Readonly<Record<string, unknown>> = {
  chat: IN_CHAT,
  messages: LOCATION,
  responses: IN_RESPONSES,
  gemini: GROUNDED,
}

const PAIRS = Object.keys(PROVIDERS).flatMap((provider) =>
  Object.keys(CLIENTS)
    .filter((client) => client !== provider)
    .map((client) => [provider, client] as const),
)

describe.each(PAIRS)('a citation of %s reaches a client of %s', (provider, client) => {
  const { type, stream, whole } = PROVIDERS[provider] ?? expect.fail(provider)

  test('streamed', () => {
    const upstream = type === null ? null : { descriptor: descriptor(type), call: CALL }
    const { bytes } = relayStream(upstream, dialectOf(client), bytesOf(stream))
    expect(STREAMED[client]?.(jsonsIn(bytes))).toEqual([EXPECTED[client]])
  })

  test('in a whole answer', () => {
    const body = Buffer.from(JSON.stringify(whole))
    const answers = type === null ? null : codecOf(descriptor(type))?.answers
    const answer = answers?.decode(body, CALL) ?? readChatAnswer(whole)
    if (Buffer.isBuffer(answer) || !('choices' in answer)) expect.fail('no answer')
    const written = dialectOf(client).answer(answer, { usage: METERED, bytes: 999 })
    expect(WHOLE[client]?.(parseJson(finish(written).toString()))).toEqual([EXPECTED[client]])
  })
})

test.each(['messages', 'responses'])(
  'a citation before its text stands at the text for %s',
  (client) => {
    const [text, cited, citation] = CHAT_STREAM
    const events = bytesOf([citation, text, cited, CHAT_END].flatMap((one) => one ?? []))
    const { bytes } = relayStream(null, dialectOf(client), events)
    expect(STREAMED[client]?.(jsonsIn(bytes))).toEqual([EXPECTED[client]])
  },
)

test('a citation counts from its part, and lacks nothing that clients require', () => {
  const content = [
    { type: 'output_text', text: 'First.', annotations: [null, { url: 7 }] },
    { type: 'refusal', refusal: 'No.' },
    { type: 'output_text', text: 'As', annotations: [{ type: 'url_citation', url: PAGE.url }] },
  ]
  const citations = citationsInItem({ content }, 2)
  expect(citations).toMatchObject([{ start: 8, end: 8, url: PAGE.url, title: '' }])
  expect(citations.map((one) => annotationOf(one, 8))).toMatchObject([
    { start_index: 0, end_index: 0 },
  ])
})

test.each([
  { type: 'char_location', document_title: 'Rules', document_index: 0, cited_text: 'No.' },
  { type: 'search_result_location', source: 'notes', title: 'Rules', cited_text: 'No.' },
])('a document is a file for clients of Responses, and no page for others', (citation) => {
  const content = [{ type: 'text', text: 'No.', citations: [citation] }]
  const body = Buffer.from(JSON.stringify({ ...MESSAGE, content }))
  const answer = codecOf(descriptor(14))?.answers?.decode(body, CALL) ?? expect.fail()
  if (Buffer.isBuffer(answer) || !('choices' in answer)) expect.fail('no answer')
  const write = (client: string) =>
    parseJson(finish(dialectOf(client).answer(answer, { usage: METERED, bytes: 9 })).toString())
  const file = { type: 'file_citation', index: 3, file_id: '', filename: 'Rules' }
  expect(WHOLE['responses']?.(write('responses'))).toEqual([file])
  expect(WHOLE['chat']?.(write('chat'))).toEqual([])
  expect(WHOLE['gemini']?.(write('gemini'))).toMatchObject([
    { groundingChunks: [{ retrievedContext: { title: 'Rules', text: 'No.' } }] },
  ])
})

describe('what Gemini cites', () => {
  const find = (given: JsonRecord, text: string) =>
    citationsOf(given, text).map(({ start, end, url }: Citation) => [text.slice(start, end), url])

  test('is found by its text if it counts from its part', () => {
    const segment = { partIndex: 1, startIndex: 0, endIndex: 6, text: CITED }
    const supports = [{ segment, groundingChunkIndices: [0, 7] }]
    const grounding = { ...GROUNDED, groundingSupports: supports }
    expect(find({ groundingMetadata: grounding }, FIRST + CITED)).toEqual([[CITED, PAGE.url]])
  })

  test('is a source without a place at the end, if no support tells one', () => {
    const grounding = { ...GROUNDED, groundingSupports: undefined }
    expect(find({ groundingMetadata: grounding }, CITED)).toEqual([])
    const end = { groundingMetadata: grounding, finishReason: 'STOP' }
    expect(find(end, CITED)).toEqual([['', PAGE.url]])
  })

  test.each(['citationSources', 'citations'])('may be recited text: %s', (name) => {
    const source = { ...BYTES, uri: PAGE.url }
    expect(find({ citationMetadata: { [name]: [source, {}] } }, FIRST + CITED)).toEqual([
      [CITED, PAGE.url],
    ])
  })

  test('counts characters in any order of segments, and not beyond the text', () => {
    const supports = [
      { segment: BYTES, groundingChunkIndices: [0] },
      { segment: { endIndex: 4 }, groundingChunkIndices: [0] },
      { segment: { startIndex: 99, endIndex: 3 }, groundingChunkIndices: [0] },
    ]
    const grounding = { ...GROUNDED, groundingSupports: supports }
    const found = find({ groundingMetadata: grounding }, FIRST + CITED)
    expect(found.map(([text]) => textOf(text))).toEqual([CITED, 'A’', ''])
  })
})

test('Claude keeps its own citations', () => {
  const [own, foreign] = [{ ...LOCATION, encrypted_index: 'E' }, LOCATION]
  const block = (...citations: object[]) => ({ type: 'text', text: 'x', citations })
  expect(withoutOwnCitations(block(own, foreign))).toEqual(block(own))
  expect(withoutOwnCitations(block(foreign))).toEqual({ type: 'text', text: 'x' })
  const kept = block(own)
  expect(withoutOwnCitations(kept)).toBe(kept)
})
