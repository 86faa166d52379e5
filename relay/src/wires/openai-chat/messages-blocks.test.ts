import { expect, test } from 'vitest'
import { readRequest } from './read-head.ts'
import { requestIn } from './testing/chat.ts'

const use = { type: 'tool_use', id: 'a', name: 'f', input: {} }
const result = { type: 'tool_result', tool_use_id: 'a', content: 'x' }

const inner = { ...result, content: [result] }
const told = (content: unknown) => ({ role: 'tool', tool_call_id: 'a', content: [content] })

// A result inside of a result is rewritten once, because each time reads the whole body.
test.each([
  ['user', use, { role: 'user', content: [use] }],
  ['system', use, { role: 'system', content: [use] }],
  ['assistant', result, { role: 'assistant', content: [result] }],
  ['user', { ...result, content: [use] }, told(use)],
  ['user', { ...result, content: [inner] }, told(inner)],
])('in a message of the role %s, %j becomes %j', (role, block, message) => {
  const body = { model: 'm', messages: [{ role, content: [block] }] }
  expect(requestIn(body).json()['messages']).toEqual([message])
})

test('members of tools that only Messages has are left out', () => {
  const tool = { name: 'f', input_schema: { type: 'object' }, strict: true, defer_loading: false }
  const json = {
    model: 'm',
    messages: [{ role: 'tool', tool_call_id: 'a', content: [{ type: 'tool_result' }] }],
    tools: [{ ...tool, cache_control: { type: 'ephemeral' } }],
    tool_choice: { type: 'any', disable_parallel_tool_use: true },
  }
  expect(requestIn(json).json()).toEqual({
    model: 'm',
    messages: [{ role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: '' }] }],
    tools: [
      {
        type: 'function',
        function: { name: 'f', parameters: { type: 'object' }, strict: true },
        cache_control: { type: 'ephemeral' },
      },
    ],
    tool_choice: 'required',
    parallel_tool_calls: false,
  })
})

test('missing messages are named', () => {
  const body = { model: 'm', tools: [{ name: 'f', input_schema: {} }] }
  expect(readRequest('chat', Buffer.from(JSON.stringify(body)))).toMatchObject({
    code: 'missing_required_parameter',
    param: 'messages',
  })
})
