import { expect, test } from 'vitest'
import { answerIn, finishedBy } from '../openai-chat/testing/chat.ts'
import { cipherFor } from '../openai-responses/testing/readable-cipher.ts'
import { anthropicDialect } from './dialect.ts'

test.each([
  ['stop', 'end_turn'],
  ['length', 'max_tokens'],
  ['model_length', 'max_tokens'],
  ['insufficient_system_resource', 'max_tokens'],
  // A provider that was made to call a tool may say so without calling one.
  ['tool_calls', 'end_turn'],
  ['content_filter', 'refusal'],
])('finish reason %s becomes stop reason %s', (finish, stop_reason) => {
  const answer = answerIn(anthropicDialect(cipherFor), finishedBy(finish))
  expect(answer).toMatchObject({ stop_reason })
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
])('an error %i %s becomes %i %s', (status, code, statusTold, type) => {
  const error = { status, code, message: 'why', type: 'one_api_error' }
  expect(anthropicDialect(cipherFor).error(error)).toEqual({
    status: statusTold,
    body: JSON.stringify({ type: 'error', error: { type, message: 'why' } }),
  })
})

test('content nested too deep for JSON is left out or written as text', () => {
  const deep = `${'{"1":'.repeat(10_000)}1${'}'.repeat(10_000)}`
  const tool_calls = [{ id: 'c', function: { name: 'f', arguments: deep } }]
  const thinking_blocks = [{ type: 'thinking', thinking: 'Hm', signature: 'DEEP' }]
  const choices = [{ index: 0, message: { thinking_blocks, tool_calls } }]
  const body = Buffer.from(JSON.stringify({ choices }).replace('"DEEP"', deep))
  const answer = answerIn(anthropicDialect(cipherFor), body)
  expect(answer).toMatchObject({
    content: [
      { type: 'thinking', thinking: 'Hm', signature: '' },
      { type: 'tool_use', id: 'c', name: 'f', input: { input: deep } },
    ],
  })
})
