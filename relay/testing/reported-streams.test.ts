import { expect, test } from 'vitest'
import { listOf, member, parseJson, textOf } from '../src/bytes/json-value.ts'
import { finish } from '../src/bytes/steps.ts'
import { descriptorOf } from '../src/catalogue.ts'
import type { ProviderCall } from '../src/wires/provider-codec.ts'
import { relayStream } from './relay-stream.ts'
import { CLIENTS } from './vendors/sent-requests.ts'

/* Reports of other gateways about streams that their translation broke. */

// Safe because a decoder needs no more of a call.
const CALL = { id: 'r', model: 'm', now: 0, request: {}, channel: {} } as unknown as ProviderCall

function relayed(type: number | null, client: string, events: readonly object[]): unknown[] {
  const dialect = CLIENTS[client]?.dialect() ?? expect.fail(client)
  const asked = { model: 'm', input: 'hi', stream: true }
  if (client === 'responses')
    finish(dialect.readRequest('chat', Buffer.from(JSON.stringify(asked)), {}))
  const chunks = events.map((event) => Buffer.from(`data: ${JSON.stringify(event)}\n\n`))
  const descriptor = type === null ? null : (descriptorOf(type) ?? expect.fail('no provider'))
  const upstream = descriptor && { descriptor, call: CALL }
  return relayStream(upstream, dialect, chunks)
    .bytes.split(/\r?\n/)
    .filter((line) => line.startsWith('data: '))
    .map((line) => parseJson(line.slice('data: '.length)))
}

const choice = (more: object, reason: string | null = null) => ({
  id: 'c1',
  model: 'm',
  choices: [{ index: 0, finish_reason: reason, ...more }],
})
const delta = (given: object, reason: string | null = null) => choice({ delta: given }, reason)
const USE = { index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }

const types = (events: readonly unknown[]) => events.map((event) => textOf(member(event, 'type')))
const textIn = (events: readonly unknown[]) =>
  events.map((event) => textOf(member(member(event, 'delta'), 'text'))).join('')
const stopReason = (events: readonly unknown[]) =>
  events.flatMap((event) => member(member(event, 'delta'), 'stop_reason') ?? [])

test('BerriAI/litellm#34692: a call that ends as a text, without an empty text before it', () => {
  const events = relayed(null, 'messages', [
    delta({ role: 'assistant', content: '' }),
    delta({ tool_calls: [USE] }),
    delta({}, 'stop'),
  ])
  expect(stopReason(events)).toEqual(['tool_use'])
  expect(events).not.toContainEqual(expect.objectContaining({ content_block: { type: 'text' } }))
})

test('jasonxu114514/opencode2api#27: an end by calls without any call', () => {
  const events = relayed(null, 'messages', [
    delta({ content: 'I look.' }),
    delta({ tool_calls: [] }),
    delta({}, 'tool_calls'),
  ])
  expect(stopReason(events)).toEqual(['end_turn'])
})

test('Oaklight/llm-rosetta#56: a response whose events and items are whole', () => {
  const events = relayed(null, 'responses', [delta({ content: 'Hi' }), delta({}, 'stop')])
  expect(types(events)).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.completed',
  ])
  expect(events.at(-1)).toMatchObject({
    response: { id: 'resp_c1', object: 'response', model: 'm', output: [{ type: 'message' }] },
  })
})

const RESPONSE = { id: 'resp_1', model: 'm' }
const CREATED = { type: 'response.created', response: { ...RESPONSE, status: 'in_progress' } }
const ITEM = { type: 'message', content: [{ type: 'output_text', text: 'Hi there' }] }
const said = (text: string, id: string) => ({
  type: 'response.output_text.delta',
  output_index: 0,
  item_id: id,
  delta: text,
})
const COMPLETED = { type: 'response.completed', response: { ...RESPONSE, status: 'completed' } }

test.each([
  [
    'BerriAI/litellm#30071: another id in each event of an item',
    [
      { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'a' } },
      said('Hi', 'b'),
      said(' there', 'c'),
      { type: 'response.output_item.done', output_index: 0, item: { ...ITEM, id: 'd' } },
    ],
  ],
  ['BerriAI/litellm#22102: deltas without their item', [said('Hi', 'a'), said(' there', 'a')]],
  [
    'decolua/9router#705: an end without its output',
    [{ type: 'response.output_item.done', output_index: 0, item: { ...ITEM, id: 'd' } }],
  ],
])('%s', (_report, events) => {
  const got = relayed(1002, 'messages', [CREATED, ...events, COMPLETED])
  expect(textIn(got)).toBe('Hi there')
  expect(stopReason(got)).toEqual(['end_turn'])
})

const message = (content: string) => choice({ message: { role: 'assistant', content } })

test.each([
  ['in place of every delta', [message('Hi'), message(' there')]],
  ['whole, as the only event', [message('Hi there')]],
  [
    'again at the end',
    [delta({ content: 'Hi' }), delta({ content: ' there' }), message('Hi there')],
  ],
  [
    'as the whole text so far next to each delta',
    [
      choice({ delta: { content: 'Hi' }, message: { content: 'Hi' } }),
      choice({ delta: { content: ' there' }, message: { content: 'Hi there' } }),
    ],
  ],
])('messages in a stream of chat completions: %s', (_name, events) => {
  const all = [...events, delta({}, 'stop')]
  expect(textIn(relayed(null, 'messages', all))).toBe('Hi there')
  const passed = relayed(null, 'chat', all).flatMap((event) => listOf(member(event, 'choices')))
  const texts = passed.map((one) => textOf(member(member(one, 'delta'), 'content')))
  expect(texts.join('')).toBe('Hi there')
})

test('a message in place of deltas has calls, which are numbered and counted', () => {
  const calls = [{ ...USE, index: undefined }]
  const passed = relayed(null, 'chat', [
    choice({ message: { role: 'assistant', content: null, tool_calls: calls } }, 'stop'),
  ])
  expect(passed[0]).toMatchObject({
    choices: [{ delta: { tool_calls: [USE] }, finish_reason: 'tool_calls' }],
  })
})
