import { expect, test } from 'vitest'
import { DONE_EVENT, ChatEvents } from '../../codec/chat-events.ts'
import { parseJson } from '../../json-value.ts'
import { MessageSpeaker } from './speaker.ts'

const events = new ChatEvents({ id: 'chatcmpl-1', created: 1, model: 'gpt-4o' })
const USAGE = events.usage({ promptTokens: 9, completionTokens: 4, cachedTokens: 3 })

/** The data of all events, including the end. */
function said(given: readonly Buffer[], cut: (bytes: Buffer) => Buffer[] = (bytes) => [bytes]) {
  const speaker = new MessageSpeaker()
  const pieces = given.flatMap(cut).flatMap((piece) => [...speaker.say([piece])])
  const text = Buffer.concat(pieces).toString() + speaker.end('')
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => {
      const [name = '', data = ''] = block.split('\n')
      const json = parseJson(data.slice('data: '.length))
      expect(json).toMatchObject({ type: name.slice('event: '.length) })
      return json
    })
}

const stop = (stop_reason: string) => [
  {
    type: 'message_delta',
    delta: { stop_reason, stop_sequence: null },
    usage: {
      input_tokens: 6,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 3,
      output_tokens: 4,
    },
  },
  { type: 'message_stop' },
]
const start = expect.objectContaining({ type: 'message_start' })
const begin = (index: number, content_block: object) => ({
  type: 'content_block_start',
  index,
  content_block,
})
const delta = (index: number, piece: object) => ({
  type: 'content_block_delta',
  index,
  delta: piece,
})
const end = (index: number) => ({ type: 'content_block_stop', index })

test('a text is one block', () => {
  const stream = [
    events.delta({ role: 'assistant', content: '' }),
    events.text('Hel'),
    events.text('lo'),
  ]
  expect(said([...stream, events.finish('stop'), USAGE])).toEqual([
    start,
    begin(0, { type: 'text', text: '' }),
    delta(0, { type: 'text_delta', text: 'Hel' }),
    delta(0, { type: 'text_delta', text: 'lo' }),
    end(0),
    ...stop('end_turn'),
  ])
})

test('thoughts, a text and two tool calls are four', () => {
  const stream = [
    events.reasoning('Hm'),
    events.delta({ thinking_blocks: [{ type: 'thinking', thinking: 'Hm', signature: 's' }] }),
    events.text('So'),
    events.toolCall(0, { id: 'a', name: 'f', arguments: '' }),
    events.toolArguments(0, '{"x":'),
    events.toolArguments(0, '1}'),
    events.toolCall(1, { id: 'b', name: 'g', arguments: '{}' }),
    events.finish('tool_calls'),
    USAGE,
  ]
  expect(said(stream)).toEqual([
    start,
    begin(0, { type: 'thinking', thinking: '', signature: '' }),
    delta(0, { type: 'thinking_delta', thinking: 'Hm' }),
    delta(0, { type: 'signature_delta', signature: 's' }),
    end(0),
    begin(1, { type: 'text', text: '' }),
    delta(1, { type: 'text_delta', text: 'So' }),
    end(1),
    begin(2, { type: 'tool_use', id: 'a', name: 'f', input: {} }),
    delta(2, { type: 'input_json_delta', partial_json: '{"x":' }),
    delta(2, { type: 'input_json_delta', partial_json: '1}' }),
    end(2),
    begin(3, { type: 'tool_use', id: 'b', name: 'g', input: {} }),
    delta(3, { type: 'input_json_delta', partial_json: '{}' }),
    end(3),
    ...stop('tool_use'),
  ])
})

const piece = (call: object, args?: string) =>
  events.delta({ tool_calls: [{ ...call, function: { arguments: args } }] })
const named = (call: object, name: string, args = '') =>
  events.delta({ tool_calls: [{ ...call, function: { name, arguments: args } }] })
const tool = (index: number, id: string, name: string) =>
  begin(index, { type: 'tool_use', id, name, input: {} })
const json = (index: number, partial_json: string) =>
  delta(index, { type: 'input_json_delta', partial_json })

/** The events between `message_start` and the end. */
const blocks = (given: readonly Buffer[]) =>
  said([...given, events.finish('tool_calls'), USAGE]).slice(1, -2)

test('calls whose pieces interleave are blocks one after the other', () => {
  const stream = [
    named({ index: 0, id: 'a' }, 'f'),
    named({ index: 1, id: 'b' }, 'g'),
    piece({ index: 0 }, '{"x":'),
    piece({ index: 1 }, '{"y":'),
    piece({ index: 0 }, '"}"'),
    piece({ index: 1 }, '2'),
    piece({ index: 0 }, '}'),
    piece({ index: 1 }, '}'),
    piece({ index: 0 }, ' '),
  ]
  expect(blocks(stream)).toEqual([
    tool(0, 'a', 'f'),
    json(0, '{"x":'),
    json(0, '"}"'),
    json(0, '}'),
    end(0),
    tool(1, 'b', 'g'),
    json(1, '{"y":'),
    json(1, '2'),
    json(1, '}'),
    end(1),
  ])
})

test('what comes before a call is whole waits for its end, or for that of the stream', () => {
  const stream = [
    named({ index: 0, id: 'a' }, 'f', '{"x":'),
    events.text('So'),
    named({ index: 1, id: 'b' }, 'g', '{}'),
    events.reasoning('Hm'),
  ]
  const waited = [
    begin(1, { type: 'text', text: '' }),
    delta(1, { type: 'text_delta', text: 'So' }),
    end(1),
    begin(2, { type: 'thinking', thinking: '', signature: '' }),
    delta(2, { type: 'thinking_delta', thinking: 'Hm' }),
    end(2),
    tool(3, 'b', 'g'),
    json(3, '{}'),
    end(3),
  ]
  const opened = [tool(0, 'a', 'f'), json(0, '{"x":')]
  expect(blocks(stream)).toEqual([...opened, end(0), ...waited])
  const speaker = new MessageSpeaker()
  speaker.say(stream)
  const told = Buffer.concat([...speaker.say([piece({ index: 0 }, '1}')])]).toString()
  expect(told).toContain('"text":"So"')
  expect(told).toContain('"name":"g"')
  expect(blocks([...stream, piece({ index: 0 }, '1}')])).toEqual([
    ...opened,
    json(0, '1}'),
    end(0),
    ...waited,
  ])
})

test('a text after a whole call is told at once', () => {
  const speaker = new MessageSpeaker()
  speaker.say([named({ index: 0, id: 'a' }, 'f', '{"x":"\\""}')])
  expect(Buffer.concat([...speaker.say([events.text('So')])]).toString()).toContain('"text":"So"')
})

test('calls are told apart without numbers, and named late', () => {
  const stream = [
    piece({ index: 0, id: 'a' }, '{'),
    named({ index: 0 }, 'f', '}'),
    named({ id: 'b' }, 'g', '{'),
    piece({}, '}'),
    named({ index: 9 }, 'h'),
    piece({ index: 10, id: 'nameless' }, '{}'),
  ]
  expect(blocks(stream)).toEqual([
    tool(0, 'a', 'f'),
    json(0, '{}'),
    end(0),
    tool(1, 'b', 'g'),
    json(1, '{'),
    json(1, '}'),
    end(1),
    tool(2, 'call_chatcmpl-1_2', 'h'),
    end(2),
  ])
})

test('a stream that calls tools says so, also where its provider calls it finished', () => {
  const call = { id: 'a', name: 'f', arguments: '{}' }
  expect(said([events.toolCall(0, call), events.finish('stop'), USAGE]).slice(-2)).toEqual(
    stop('tool_use'),
  )
})

test('lists of parts are thoughts and texts', () => {
  const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }
  const pieces = [{ content: [thinking] }, { content: [{ type: 'text', text: 'So' }] }]
  const told = said([...pieces.map((piece) => events.delta(piece)), events.finish('stop'), USAGE])
  expect(told).toContainEqual(delta(0, { type: 'thinking_delta', thinking: 'Hm' }))
  expect(told).toContainEqual(delta(1, { type: 'text_delta', text: 'So' }))
})

test('thoughts that are hidden are blocks too', () => {
  const hidden = { type: 'redacted_thinking', data: 'xyz' }
  const silent = { type: 'thinking', thinking: '', signature: 's' }
  const stream = [
    events.delta({ thinking_blocks: [hidden] }),
    events.delta({ thinking_blocks: [silent] }),
  ]
  expect(said([...stream, events.text('x'), events.finish('stop'), USAGE]).slice(1, 7)).toEqual([
    begin(0, hidden),
    end(0),
    begin(1, { type: 'thinking', thinking: '', signature: '' }),
    delta(1, { type: 'signature_delta', signature: 's' }),
    end(1),
    begin(2, { type: 'text', text: '' }),
  ])
})

test('however the events come, the same is said', () => {
  const stream = [events.text('Grüße, 世界'), events.finish('length'), USAGE]
  const single = (bytes: Buffer) => Array.from(bytes, (byte) => Buffer.from([byte]))
  expect(said(stream, single)).toEqual(said(stream))
  expect(said([Buffer.concat(stream)])).toEqual(said(stream))
})

test('a comment keeps the connection alive', () => {
  const comment = Buffer.from(': keep-alive\n\n')
  expect(said([comment, events.text('x'), comment, events.finish('stop'), USAGE])).toEqual([
    start,
    begin(0, { type: 'text', text: '' }),
    delta(0, { type: 'text_delta', text: 'x' }),
    { type: 'ping' },
    end(0),
    ...stop('end_turn'),
  ])
})

test('usage may come with the end', () => {
  const speaker = new MessageSpeaker()
  speaker.say([events.text('x'), events.finish('stop')])
  expect(speaker.end(USAGE.toString())).toContain('"output_tokens":4')
})

test('a stream that said nothing is a message all the same', () => {
  expect(said([])).toMatchObject([
    { type: 'message_start' },
    { type: 'message_delta' },
    { type: 'message_stop' },
  ])
  expect(said([DONE_EVENT]).length).toBe(3)
})

test('a stream that breaks ends with an error', () => {
  const error = { status: 502, code: 'upstream_error', message: 'why', type: 'server_error' }
  expect(new MessageSpeaker().fail(error)).toBe(
    'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"why"}}\n\n',
  )
})

test('nothing that a provider sends makes it throw', () => {
  const deep = `${'{"1":'.repeat(10_000)}1${'}'.repeat(10_000)}`
  const odd = [
    `{"choices":[{"delta":{"thinking_blocks":[{"type":"thinking","signature":${deep}}]}}]}`,
    `{"choices":[{"delta":{"thinking_blocks":[{"type":"redacted_thinking","data":${deep}}]}}]}`,
  ]
  const all = said(odd.map((data) => Buffer.from(`data: ${data}\n\n`)))
  expect(all).toContainEqual(delta(0, { type: 'signature_delta', signature: '' }))
  expect(all).toContainEqual(begin(1, { type: 'redacted_thinking', data: '' }))
})

test('as many calls as an event may have come at once, and wait for another', () => {
  const count = 3500
  const calls = Array.from({ length: count }, (_, at) => ({
    index: at + 1,
    function: { name: 'f', arguments: '{}' },
  }))
  const call = (input: string) => ({ index: 0, function: { name: 'f', arguments: input } })
  const speaker = new MessageSpeaker()
  const pieces = [[call('{')], calls, [call('}')]].flatMap((tool_calls) =>
    speaker.say([events.delta({ tool_calls })]),
  )
  const begun = Buffer.concat(pieces)
    .toString()
    .match(/"type":"tool_use"/g)
  expect(begun).toHaveLength(count + 1)
})
