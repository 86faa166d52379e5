import { expect, test } from 'vitest'
import { finish } from '../../bytes/steps.ts'
import { accepted } from '../../errors/testing/accepted.ts'
import { NestedJson } from '../../form/nested-json.ts'
import { answerIn } from '../openai-chat/testing/chat.ts'
import { createResponsesDialect } from './dialect.ts'
import { decryptEntries } from './encrypted-content.ts'
import { cipherFor, READABLE_CIPHER } from './testing/readable-cipher.ts'

function told(message: object, include: readonly string[] = []) {
  const dialect = createResponsesDialect({ cipherFor, now: () => 0 })
  const tools = [{ type: 'function', name: 'time' }]
  const request = JSON.stringify({ model: 'gpt-x', input: 'hi', tools, include })
  accepted(finish(dialect.readRequest('chat', Buffer.from(request))))
  const choices = [{ index: 0, message, finish_reason: 'stop' }]
  const body = Buffer.from(JSON.stringify({ id: 'chatcmpl-1', model: 'gpt-4o', choices }))
  return answerIn(dialect, body)
}

const THOUGHTS = [
  { type: 'thinking', thinking: 'Hm', signature: 's', model: 'm' },
  { type: 'redacted_thinking', data: 'd', after: { text: 2, tool_calls: 1 } },
]
const CALLS = ['a', 'b'].map((id) => ({
  id,
  type: 'function',
  function: { name: 'time', arguments: '{}' },
  extra_content: { google: { thought_signature: id } },
}))

test('signed reasoning is encrypted in its place on request', () => {
  const message = { content: 'So', thinking_blocks: THOUGHTS, reasoning_content: 'Hm' }
  const answer = told({ ...message, tool_calls: CALLS }, ['reasoning.encrypted_content'])
  expect(answer).toMatchObject({
    output: [
      { type: 'reasoning', summary: [{ text: 'Hm' }] },
      { type: 'message' },
      { type: 'reasoning', summary: [] },
      { type: 'function_call', call_id: 'a' },
      { type: 'reasoning', summary: [] },
      { type: 'reasoning', summary: [] },
      { type: 'function_call', call_id: 'b' },
    ],
  })
  const sealed = JSON.stringify(answer).matchAll(/"encrypted_content":"([^"]+)"/g)
  const signed = (id: string) => ({
    type: 'tool_call',
    id,
    extra_content: { google: { thought_signature: id } },
  })
  const reader = { cipher: READABLE_CIPHER, nested: new NestedJson() }
  expect([...sealed].flatMap(([, text]) => decryptEntries(text, reader))).toEqual([
    { type: 'thinking', thinking: 'Hm', signature: 's', model: 'm' },
    signed('a'),
    { type: 'redacted_thinking', data: 'd' },
    signed('b'),
  ])
  expect(told({ ...message, tool_calls: CALLS })).toMatchObject({
    output: [{ type: 'reasoning' }, { type: 'message' }, { call_id: 'a' }, { call_id: 'b' }],
  })
})
