import { expect, test } from 'vitest'
import { DONE_EVENT, ChatEvents } from '../../codec/chat-events.ts'
import { parseJson } from '../../json-value.ts'
import { MessageStreamEncoder } from './stream-encoder.ts'

const events = new ChatEvents({ id: 'chatcmpl-1', created: 1, model: 'gpt-4o' })
const USAGE = events.usage({ promptTokens: 9, completionTokens: 4, cachedTokens: 3 })

/** The data of all events, including the end. */
function said(given: readonly Buffer[]) {
  const speaker = new MessageStreamEncoder()
  const text = Buffer.concat([...speaker.write(given)]).toString() + speaker.end('')
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => parseJson(data))
}

const piece = (call: object, args?: string) =>
  events.delta({ tool_calls: [{ ...call, function: { arguments: args } }] })
const named = (call: object, name: string, args = '') =>
  events.delta({ tool_calls: [{ ...call, function: { name, arguments: args } }] })

test('output that arrives during an open call is sent after the call', () => {
  const speaker = new MessageStreamEncoder()
  const begun = named({ index: 0, id: 'a' }, 'f', '{"x":')
  const waiting = [events.text('So'), named({ index: 1, id: 'b' }, 'g', '{}')]
  expect(Buffer.concat([...speaker.write([begun, ...waiting])]).toString()).not.toContain('So')
  const told = Buffer.concat([...speaker.write([piece({ index: 0 }, '1}')])]).toString()
  expect(told).toContain('"text":"So"')
  expect(told).toContain('"name":"g"')
})

test('text after a complete call is sent at once', () => {
  const speaker = new MessageStreamEncoder()
  speaker.write([named({ index: 0, id: 'a' }, 'f', '{"x":"\\""}')])
  expect(Buffer.concat([...speaker.write([events.text('So')])]).toString()).toContain('"text":"So"')
})

test('usage may arrive with the end', () => {
  const speaker = new MessageStreamEncoder()
  speaker.write([events.text('x'), events.finish('stop')])
  expect(speaker.end(USAGE.toString())).toContain('"output_tokens":4')
})

test('a stream without output is still a message', () => {
  expect(said([])).toMatchObject([
    { type: 'message_start' },
    { type: 'message_delta' },
    { type: 'message_stop' },
  ])
  expect(said([DONE_EVENT]).length).toBe(3)
})

test('a stream that breaks ends with an error', () => {
  const error = { status: 502, code: 'upstream_error', message: 'why', type: 'server_error' }
  expect(new MessageStreamEncoder().error(error)).toBe(
    'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"why"}}\n\n',
  )
})

test('no provider output makes it throw', () => {
  const deep = `${'{"1":'.repeat(10_000)}1${'}'.repeat(10_000)}`
  const odd = [
    `{"choices":[{"delta":{"thinking_blocks":[{"type":"thinking","signature":${deep}}]}}]}`,
    `{"choices":[{"delta":{"thinking_blocks":[{"type":"redacted_thinking","data":${deep}}]}}]}`,
  ]
  const all = said(odd.map((data) => Buffer.from(`data: ${data}\n\n`)))
  expect(all).toMatchObject([
    { type: 'message_start' },
    { content_block: { type: 'thinking' } },
    { delta: { type: 'signature_delta', signature: '' } },
    { type: 'content_block_stop' },
    { content_block: { type: 'redacted_thinking', data: '' } },
    {},
    {},
    {},
  ])
})

test('one event may bring the maximum of calls, which wait for the next event', () => {
  const count = 3500
  const calls = Array.from({ length: count }, (_, at) => ({
    index: at + 1,
    function: { name: 'f', arguments: '{}' },
  }))
  const call = (input: string) => ({ index: 0, function: { name: 'f', arguments: input } })
  const speaker = new MessageStreamEncoder()
  const pieces = [[call('{')], calls, [call('}')]].flatMap((tool_calls) =>
    speaker.write([events.delta({ tool_calls })]),
  )
  const begun = Buffer.concat(pieces)
    .toString()
    .match(/"type":"tool_use"/g)
  expect(begun).toHaveLength(count + 1)
})
