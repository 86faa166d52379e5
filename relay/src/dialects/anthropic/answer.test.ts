import { expect, test } from 'vitest'
import { finish as run } from '../../steps.ts'
import type { Usage } from '../../usage.ts'
import { anthropicDialect } from './dialect.ts'

const METERED: Usage = {
  promptTokens: 10,
  cachedTokens: 4,
  cacheWriteTokens: 1,
  completionTokens: 3,
  reasoningTokens: 0,
}

function told(
  message: object,
  { finish = 'stop', ...rest }: { finish?: string; usage?: object } = {},
) {
  const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }]
  const body = JSON.stringify({ id: 'chatcmpl-1', model: 'gpt-4o', choices, ...rest })
  const answer: unknown = JSON.parse(
    run(anthropicDialect.answer(Buffer.from(body), METERED)).toString(),
  )
  return answer
}

test('a text is a message, with the usage that was reported', () => {
  const usage = {
    prompt_tokens: 20,
    completion_tokens: 5,
    prompt_tokens_details: { cached_tokens: 8, cache_write_tokens: 2 },
  }
  expect(told({ content: 'Hello' }, { usage })).toEqual({
    id: 'msg_chatcmpl-1',
    type: 'message',
    role: 'assistant',
    model: 'gpt-4o',
    content: [{ type: 'text', text: 'Hello' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: 10,
      cache_read_input_tokens: 8,
      cache_creation_input_tokens: 2,
      output_tokens: 5,
    },
  })
})

test('without reported usage what was metered is told', () => {
  expect(told({ content: 'Hello' })).toMatchObject({
    usage: { input_tokens: 5, cache_read_input_tokens: 4, output_tokens: 3 },
  })
})

test('thoughts and tool calls are blocks', () => {
  const call = (id: string, args: string) => ({
    id,
    type: 'function',
    function: { name: 'f', arguments: args },
  })
  const tool_calls = [call('a', '{"x":1}'), call('b', 'no JSON')]
  const message = { content: null, reasoning_content: 'Hm.', tool_calls }
  expect(told(message, { finish: 'tool_calls' })).toMatchObject({
    content: [
      { type: 'thinking', thinking: 'Hm.', signature: '' },
      { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } },
      { type: 'tool_use', id: 'b', name: 'f', input: {} },
    ],
    stop_reason: 'tool_use',
  })
})

test('calls have ids, and those without a name are none', () => {
  const tool_calls = ['f', 'g', ''].map((name) => ({ function: { name, arguments: '{}' } }))
  expect(told({ content: null, tool_calls })).toMatchObject({
    content: [
      { type: 'tool_use', id: 'call_chatcmpl-1_0', name: 'f' },
      { type: 'tool_use', id: 'call_chatcmpl-1_1', name: 'g' },
    ],
  })
})

test('an answer that calls tools says so, also where its provider calls it finished', () => {
  const tool_calls = [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }]
  expect(told({ content: null, tool_calls }, { finish: 'stop' })).toMatchObject({
    stop_reason: 'tool_use',
  })
  expect(told({ content: null, tool_calls }, { finish: 'length' })).toMatchObject({
    stop_reason: 'max_tokens',
  })
})

test('a list of parts has thoughts and texts', () => {
  const thinking = [{ type: 'text', text: 'Hm.' }]
  const content = [
    { type: 'thinking', thinking },
    { type: 'text', text: 'So' },
  ]
  expect(told({ content })).toMatchObject({
    content: [
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'text', text: 'So' },
    ],
  })
})

test('signed thoughts stand where they were had', () => {
  const thinking_blocks = [
    { type: 'thinking', thinking: 'One', signature: 's', model: 'claude-x' },
    { type: 'redacted_thinking', data: 'd', after: { text: 5, tool_calls: 0 } },
  ]
  expect(told({ content: 'Firstthen', reasoning_content: 'One', thinking_blocks })).toMatchObject({
    content: [
      { type: 'thinking', thinking: 'One', signature: 's' },
      { type: 'text', text: 'First' },
      { type: 'redacted_thinking', data: 'd' },
      { type: 'text', text: 'then' },
    ],
  })
})

test.each([
  ['stop', 'end_turn'],
  ['length', 'max_tokens'],
  ['model_length', 'max_tokens'],
  ['insufficient_system_resource', 'max_tokens'],
  ['tool_calls', 'tool_use'],
  ['content_filter', 'refusal'],
])('what ends with %s ends with %s', (finish, stop_reason) => {
  expect(told({ content: 'x' }, { finish })).toMatchObject({ stop_reason })
})

test.each([
  [400, 'x', 400, 'invalid_request_error'],
  [401, 'invalid_api_key', 401, 'authentication_error'],
  [403, 'insufficient_user_quota', 403, 'billing_error'],
  [403, 'x', 403, 'permission_error'],
  [404, 'model_not_found', 404, 'not_found_error'],
  [413, 'x', 413, 'request_too_large'],
  [429, 'x', 429, 'rate_limit_error'],
  [500, 'x', 500, 'api_error'],
  [502, 'x', 502, 'api_error'],
  [503, 'x', 529, 'overloaded_error'],
])('an error %i %s is %i %s', (status, code, statusTold, type) => {
  const error = { status, code, message: 'why', type: 'one_api_error' }
  expect(anthropicDialect.error(error)).toEqual({
    status: statusTold,
    body: JSON.stringify({ type: 'error', error: { type, message: 'why' } }),
  })
})

test('what is nested too deep to be written out is left out', () => {
  const deep = `${'{"1":'.repeat(10_000)}1${'}'.repeat(10_000)}`
  const tool_calls = [{ id: 'c', function: { name: 'f', arguments: deep } }]
  const thinking_blocks = [{ type: 'thinking', thinking: 'Hm', signature: 'DEEP' }]
  const choices = [{ index: 0, message: { thinking_blocks, tool_calls } }]
  const body = Buffer.from(JSON.stringify({ choices }).replace('"DEEP"', deep))
  const answer: unknown = JSON.parse(run(anthropicDialect.answer(body, METERED)).toString())
  expect(answer).toMatchObject({
    content: [
      { type: 'thinking', thinking: 'Hm', signature: '' },
      { type: 'tool_use', id: 'c', name: 'f', input: {} },
    ],
  })
})
