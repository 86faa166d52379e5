import { expect, test } from 'vitest'
import { isRecord, member, parseJson } from '../../bytes/json-value.ts'
import { COMMENT, DONE, type StreamEvent } from '../../form/events.ts'
import { AnswerEvents } from '../../streams/answer-events.ts'
import { NO_HEAD } from '../openai-chat/final-usage.ts'
import { finalUsage, readChat } from '../openai-chat/testing/chat.ts'
import { type ResponseContext, EMPTY_CONTEXT } from './response-context.ts'
import { ResponseStreamEncoder } from './stream-encoder.ts'
import { ToolNames } from './tool-names.ts'

const events = new AnswerEvents({ id: 'c1', created: 1, model: 'gpt-4o' })

const ASKED: ResponseContext = {
  ...EMPTY_CONTEXT,
  encryptsReasoning: true,
  now: () => 5000,
  tools: new ToolNames([{ name: 'patch', namespace: null, form: 'custom' }]),
}

/** Returns the data of the events. Checks their names and sequence numbers. */
function eventsIn(text: string, first = 0) {
  return text
    .split('\n\n')
    .filter((block) => block !== '' && !block.startsWith(':'))
    .map((block, index) => {
      const [name = '', data = ''] = block.split('\n')
      const json = parseJson(data.slice('data: '.length))
      expect(json).toMatchObject({
        type: name.slice('event: '.length),
        sequence_number: first + index,
      })
      return isRecord(json) ? json : {}
    })
}

function said(given: readonly StreamEvent[]) {
  const speaker = new ResponseStreamEncoder(ASKED)
  return eventsIn(speaker.write(given) + speaker.end(null))
}

const typesOf = (given: readonly StreamEvent[]) =>
  said(given).map(({ type }) => String(type).replace('response.', ''))

test('a comment keeps the connection alive', () => {
  const speaker = new ResponseStreamEncoder(EMPTY_CONTEXT)
  const comment = [COMMENT]
  expect(speaker.write(comment)).toBe(': keep-alive\n\n')
  speaker.write([events.text('x')])
  expect(speaker.write(comment)).toMatch(
    /^event: keepalive\ndata: {"type":"keepalive","sequence_number":\d}\n\n$/,
  )
})

test('usage may arrive with the end', () => {
  const speaker = new ResponseStreamEncoder(EMPTY_CONTEXT)
  speaker.write([events.text('x'), events.finish('stop')])
  expect(speaker.end(finalUsage(9, 4))).toContain('"output_tokens":4')
})

test('a stream without output is still a response', () => {
  expect(typesOf([])).toEqual(['created', 'in_progress', 'completed'])
  expect(typesOf([DONE])).toEqual(['created', 'in_progress', 'completed'])
})

test('a stream that breaks ends with an error, and the response has failed', () => {
  const error = { status: 502, code: 'upstream_error', message: 'why', type: 'server_error' }
  const why = { code: 'upstream_error', message: 'why' }
  const failed = [
    { type: 'error', ...why, param: null },
    { type: 'response.failed', response: { status: 'failed', error: why } },
  ]
  const begun = [{ type: 'response.created' }, { type: 'response.in_progress' }]
  const fail = (of: object = {}) => new ResponseStreamEncoder(ASKED).error({ ...error, ...of })
  expect(eventsIn(fail())).toMatchObject([...begun, ...failed])
  expect(fail({ status: 429 })).toContain('"code":"rate_limit_exceeded"')
  expect(fail({ code: null })).toContain('"code":"server_error"')
})

test('a text delta may have as many probabilities as fit into an event', () => {
  const content = `[${'0,'.repeat(50_000)}0]`
  const data = `{"choices":[{"delta":{"content":"x"},"logprobs":{"content":${content}}}]}`
  const all = said(readChat(`data: ${data}\n\n`))
  const done = all.find(({ type }) => type === 'response.output_text.done')
  expect(done?.['logprobs']).toHaveLength(50_001)
})

test('no provider output makes it throw', () => {
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
  const odd = [
    `{"choices":[{"delta":{"content":"x"},"logprobs":{"content":[{"a":${deep}}]}}]}`,
    `{"choices":[{"delta":{"thinking_blocks":[{"type":"thinking","signature":${deep}}]}}]}`,
    `{"choices":[{"delta":{"extra_content":${deep},"tool_calls":[{"extra_content":${deep}},7]}}]}`,
    '{"id":7,"model":[],"choices":[{"delta":{"content":[7,{"thinking":"x"}],"tool_calls":{}}}]}',
    '{"choices":7}',
    'no JSON',
  ]
  const all = said(readChat(...odd.map((data) => `data: ${data}\n\n`)))
  expect(member(all.at(-1)?.['response'], 'output')).toContainEqual(
    expect.objectContaining({ content: [{ type: 'output_text', text: 'x', annotations: [] }] }),
  )
})

test('a response that was passed through goes on under its ids and numbers', () => {
  const encoder = new ResponseStreamEncoder(ASKED)
  const passed = [
    { type: 'response.created', response: { id: 'resp_9', created_at: 7, model: 'gpt-4.1' } },
    { type: 'response.output_item.added', output_index: 0, item: { id: 'msg_9' } },
    { type: 'response.output_text.delta', output_index: 0, item_id: 'msg_9', delta: 'Hello' },
  ].map((event) => Buffer.from(`data: ${JSON.stringify(event)}\n\n`))
  expect(encoder.native.passThrough(passed)).toBe(passed)
  encoder.resume({ head: NO_HEAD, text: 'Hello' })
  const rest = encoder.write([events.text(' there')])
  const told = eventsIn(rest + encoder.end(null), 3)
  expect(told[0]).toMatchObject({ item_id: 'msg_9', output_index: 0 })
  expect(told.at(-1)).toMatchObject({
    type: 'response.completed',
    response: { id: 'resp_9', output: [{ id: 'msg_9', content: [{ text: 'Hello there' }] }] },
  })
})
