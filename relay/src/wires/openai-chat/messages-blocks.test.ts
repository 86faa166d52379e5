import { expect, test } from 'vitest'
import { isRequestProblem } from '../../errors/request-problem.ts'
import { readRequest } from './read-head.ts'

const use = { type: 'tool_use', id: 'a', name: 'f', input: {} }
const result = { type: 'tool_result', tool_use_id: 'a', content: 'x' }

function messagesRead(role: string, content: readonly unknown[]): unknown {
  const body = Buffer.from(JSON.stringify({ model: 'm', messages: [{ role, content }] }))
  const request = readRequest('chat', body)
  if (isRequestProblem(request)) throw new Error(request.message)
  return request.json()['messages']
}

test.each([
  ['user', use],
  ['system', use],
  ['assistant', result],
])('in a message of the role %s, %j stays', (role, block) => {
  expect(messagesRead(role, [block])).toEqual([{ role, content: [block] }])
})

test('a call inside of a result stays', () => {
  const told = [{ role: 'tool', tool_call_id: 'a', content: [use] }]
  expect(messagesRead('user', [{ ...result, content: [use] }])).toEqual(told)
})

test('results inside of results are rewritten once, because each time reads the whole body', () => {
  const inner = { ...result, content: [result] }
  const told = [{ role: 'tool', tool_call_id: 'a', content: [inner] }]
  expect(messagesRead('user', [{ ...result, content: [inner] }])).toEqual(told)
})

test('members of tools that only Messages has are left out', () => {
  const tool = { name: 'f', input_schema: { type: 'object' }, strict: true, defer_loading: false }
  const json = {
    model: 'm',
    messages: [{ role: 'tool', tool_call_id: 'a', content: [{ type: 'tool_result' }] }],
    tools: [{ ...tool, cache_control: { type: 'ephemeral' } }],
    tool_choice: { type: 'any', disable_parallel_tool_use: true },
  }
  const request = readRequest('chat', Buffer.from(JSON.stringify(json)))
  if (isRequestProblem(request)) throw new Error(request.message)
  expect(request.json()).toEqual({
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
