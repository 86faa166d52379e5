import { expect, test } from 'vitest'
import { parseJson } from '../../bytes/json-value.ts'
import { DONE, type StreamEvent } from '../../form/events.ts'
import { AnswerEvents } from '../../streams/answer-events.ts'
import { finalUsage, readChat } from '../openai-chat/testing/chat.ts'
import { READABLE_CIPHER } from '../openai-responses/testing/readable-cipher.ts'
import { MessageStreamEncoder } from './stream-encoder.ts'

const events = new AnswerEvents({ id: 'chatcmpl-1', created: 1, model: 'gpt-4o' })

/** The data of all events, including the end. */
function said(given: readonly StreamEvent[]) {
  const speaker = new MessageStreamEncoder(READABLE_CIPHER)
  const text = speaker.write(given) + speaker.end(null)
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => parseJson(data))
}

const named = (index: number, id: string, name: string, input = '') =>
  events.toolCall(index, { id, name, input })

test('text after a complete call is sent at once', () => {
  const speaker = new MessageStreamEncoder(READABLE_CIPHER)
  speaker.write([named(0, 'a', 'f', '{"x":"\\""}')])
  expect(speaker.write([events.text('So')])).toContain('"text":"So"')
})

test.each(['reasoning_content', 'reasoning', 'reasoning_text'])(
  '%s of a stream of chat completions becomes thinking',
  (name) => {
    const chunk = { id: 'x', choices: [{ index: 0, delta: { [name]: 'Hm.' } }] }
    const thinking = { type: 'thinking_delta', thinking: 'Hm.' }
    expect(said(readChat(`data: ${JSON.stringify(chunk)}\n\n`))).toContainEqual(
      expect.objectContaining({ delta: thinking }),
    )
  },
)

test('usage may arrive with the end', () => {
  const speaker = new MessageStreamEncoder(READABLE_CIPHER)
  speaker.write([events.text('x'), events.finish('stop')])
  expect(speaker.end(finalUsage(9, 4))).toContain('"output_tokens":4')
})

test.each([[[]], [[DONE]]])('a stream without output is still a message: %j', (given) => {
  const types = ['message_start', 'message_delta', 'message_stop']
  expect(said(given)).toMatchObject(types.map((type) => ({ type })))
})

test('a stream that breaks ends with an error', () => {
  const error = { status: 502, code: 'upstream_error', message: 'why', type: 'server_error' }
  expect(new MessageStreamEncoder(READABLE_CIPHER).error(error)).toBe(
    'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"why"}}\n\n',
  )
})

test('no provider output makes it throw', () => {
  const deep = `${'{"1":'.repeat(10_000)}1${'}'.repeat(10_000)}`
  const odd = [
    `{"choices":[{"delta":{"thinking_blocks":[{"type":"thinking","signature":${deep}}]}}]}`,
    `{"choices":[{"delta":{"thinking_blocks":[{"type":"redacted_thinking","data":${deep}}]}}]}`,
  ]
  const all = said(readChat(...odd.map((data) => `data: ${data}\n\n`)))
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
  const calls = Array.from({ length: count }, (_, at) => named(at + 1, '', 'f', '{}'))
  const call = (input: string) => named(0, '', 'f', input)
  const speaker = new MessageStreamEncoder(READABLE_CIPHER)
  const pieces = [[call('{')], calls, [call('}')]].map((given) => speaker.write(given))
  const begun = pieces.join('').match(/"type":"tool_use"/g)
  expect(begun).toHaveLength(count + 1)
})
