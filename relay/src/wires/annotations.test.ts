import { expect, test } from 'vitest'
import { METERED, relayStream } from '../../testing/relay-stream.ts'
import { CLIENTS } from '../../testing/vendors/sent-requests.ts'
import { finish } from '../bytes/steps.ts'
import { descriptorOf } from '../catalogue.ts'
import type { Answer } from '../form/answer.ts'
import { chatAnnotations } from './annotations.ts'
import { readChatAnswer, writeChatAnswer } from './openai-chat/chat-answer.ts'
import { decode } from './openai-responses/stream-decoder.ts'
import type { ProviderCall } from './provider-codec.ts'

const SOURCE = { start_index: 3, end_index: 8, url: 'https://a.example', title: 'A' }
const IN_CHAT = { type: 'url_citation', url_citation: SOURCE }
const IN_RESPONSES = { type: 'url_citation', ...SOURCE }
const FOREIGN = [
  { type: 'file_citation', file_id: 'file-1' },
  null,
  { url: 7 },
  { type: 'url_citation', url: 7, url_citation: { url: 7 } },
]

const bytesOf = (events: readonly object[]) =>
  events.map((event) => Buffer.from(`data: ${JSON.stringify(event)}\n\n`))

const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: 'c1',
  model: 'm',
  choices: [{ index: 0, delta, finish_reason }],
})

/** A client of Responses that has asked. */
function responses() {
  const dialect = CLIENTS['responses']?.dialect() ?? expect.fail('no client')
  const body = Buffer.from('{"model":"m","input":"hi","stream":true}')
  finish(dialect.readRequest('chat', body, {}))
  return dialect
}

test('a client of Responses gets what a streamed chat completion cites', () => {
  const chunks = [
    chunk({ content: 'As Alice says' }),
    chunk({ annotations: [IN_CHAT, ...FOREIGN] }),
    chunk({}, 'stop'),
  ]
  const { bytes } = relayStream(null, responses(), bytesOf(chunks))
  expect(bytes).toContain('"type":"response.output_text.annotation.added"')
  const annotations = JSON.stringify([IN_RESPONSES])
  expect(bytes.split(`"annotations":${annotations}`)).toHaveLength(4)
})

const message = (text: string, annotations: unknown[]) => ({
  type: 'message',
  content: [{ type: 'output_text', text, annotations }],
})

const RESPONSE = {
  id: 'resp_1',
  model: 'gpt-5',
  status: 'completed',
  output: [message('First.', []), message('As Alice says', [IN_RESPONSES, ...FOREIGN])],
}

test('a citation counts the parts before its own, and lacks nothing that clients require', () => {
  const cited = { type: 'url_citation', url: SOURCE.url }
  const content = [
    { type: 'output_text', text: 'First.', annotations: [] },
    { type: 'refusal', refusal: 'No.' },
    { type: 'output_text', text: 'As', annotations: [cited] },
  ]
  const url_citation = { start_index: 8, end_index: 8, url: SOURCE.url, title: '' }
  expect(chatAnnotations({ content }, 2)).toEqual([{ type: 'url_citation', url_citation }])
})

/** Two messages become one text with a paragraph between. */
const OFFSET = 'First.\n\n'.length
const MOVED = { ...SOURCE, start_index: 3 + OFFSET, end_index: 8 + OFFSET }

// Safe because a decoder needs no more of a call.
const CALL = { id: 'r', model: 'gpt-5', now: 0, request: {} } as ProviderCall

test('a client of chat completions gets what a response cites, streamed or whole', () => {
  const events = [
    { type: 'response.created', response: { ...RESPONSE, status: 'in_progress', output: [] } },
    { type: 'response.completed', response: RESPONSE },
  ]
  const dialect = CLIENTS['chat']?.dialect() ?? expect.fail('no client')
  const descriptor = descriptorOf(1002) ?? expect.fail('no provider')
  const { bytes } = relayStream({ descriptor, call: CALL }, dialect, bytesOf(events))
  const annotations = [{ type: 'url_citation', url_citation: MOVED }]
  expect(bytes).toContain(JSON.stringify({ annotations }))
  const answer = decode(Buffer.from(JSON.stringify(RESPONSE)), CALL)
  if (Buffer.isBuffer(answer)) expect.fail('no answer')
  const whole = writeChatAnswer(answer, { usage: METERED, bytes: 999 })
  expect(JSON.parse(finish(whole).toString())).toMatchObject({
    choices: [{ message: { content: 'First.\n\nAs Alice says', annotations } }],
  })
})

test('a whole chat completion keeps what it cites for a client of Responses', () => {
  const given = { content: 'As Alice says', annotations: [IN_CHAT] }
  const answer: Answer = readChatAnswer({ choices: [{ message: given, finish_reason: 'stop' }] })
  const written = finish(responses().answer(answer, { usage: METERED, bytes: 999 }))
  expect(JSON.parse(written.toString())).toMatchObject({
    output: [{ content: [{ text: 'As Alice says', annotations: [IN_RESPONSES] }] }],
  })
})
