import { expect, test } from 'vitest'
import { finish } from '../../bytes/steps.ts'
import { accepted } from '../../errors/testing/accepted.ts'
import type { ProviderDescriptor } from '../../provider.ts'
import { mistral } from '../../providers/mistral/descriptor.ts'
import { groq, moonshot, openai } from '../../providers/openai-compatible/descriptor.ts'
import { readMessagesRequest } from '../anthropic-messages/read-request.ts'
import { READABLE_CIPHER } from '../openai-responses/testing/readable-cipher.ts'
import { encodeRequest } from './encode-request.ts'
import { requestIn } from './testing/chat.ts'

const user = { role: 'user', content: 'hi' }
const call = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })
const calling = (...ids: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map(call),
})
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'x' })
const begun = { role: 'assistant', content: 'Well' }

function encoded(descriptor: ProviderDescriptor, messages: readonly object[], more: object = {}) {
  const request = requestIn({ model: 'm', messages, ...more })
  return { request, sent: encodeRequest(request, { model: request.model, descriptor }) }
}

function sent(descriptor: ProviderDescriptor, messages: readonly object[], more: object = {}) {
  const bytes = encoded(descriptor, messages, more).sent.toString()
  return JSON.parse(bytes).messages
}

test('only results keep a name for Mistral, and no message its cache mark', () => {
  const mark = { cache_control: { type: 'ephemeral' } }
  const named = { ...user, name: 'Ann', ...mark }
  const told = { ...result('abcDEF123'), name: 'f' }
  const messages = [named, calling('abcDEF123'), { ...told, ...mark }]
  expect(sent(mistral, messages)).toEqual([user, calling('abcDEF123'), told])
  expect(sent(moonshot, [named])).toEqual([named])
})

test('reasoning of another provider is left out where the vendor refuses it', () => {
  const answer = { role: 'assistant', content: 'Hi.' }
  const messages = [user, { ...answer, reasoning_content: 'Hm.' }, user]
  expect(sent(groq, messages, { model: 'llama-3.3-70b-versatile' })).toEqual([user, answer, user])
  expect(sent(mistral, messages)).toEqual([user, answer, user])
  expect(sent(openai, messages, { model: 'gpt-4.1' })).toEqual([user, answer, user])
  expect(sent(moonshot, messages)).toEqual(messages)
  const renamed = [user, { ...answer, reasoning: 'Hm.' }, user]
  expect(sent(groq, messages, { model: 'qwen/qwen3-32b' })).toEqual(renamed)
  const { request, sent: unchanged } = encoded(groq, [user, answer, user])
  expect(unchanged).toBe(request.body)
})

test('a prefill is marked for vendors that require it', () => {
  expect(sent(mistral, [user, begun])).toEqual([user, { ...begun, prefix: true }])
  expect(sent(moonshot, [user, begun])).toEqual([user, { ...begun, partial: true }])
  const unmarked: [ProviderDescriptor, object[], object][] = [
    [openai, [user, begun], {}],
    [mistral, [user, begun, user], {}],
    [mistral, [user, { ...begun, prefix: false }], {}],
    [mistral, [user, calling('abcDEF123'), result('abcDEF123')], {}],
    [moonshot, [user, begun], { response_format: { type: 'json_object' } }],
  ]
  for (const [descriptor, messages, more] of unmarked) {
    expect(sent(descriptor, messages, more)).toEqual(messages)
  }
  const json = { response_format: { type: 'json_object' } }
  expect(sent(mistral, [user, begun], json)).toEqual([user, { ...begun, prefix: true }])
})

test('requests of other dialects are changed alike, together with codec-only members', () => {
  const tool_use_id = 'toolu_01A09q90qw90lq917835lq9'
  const cache_control = { type: 'ephemeral' }
  const content = [{ type: 'tool_use', id: tool_use_id, name: 'f', input: {}, cache_control }]
  const answered = [{ type: 'tool_result', tool_use_id, content: 'x' }]
  const turn = [
    { role: 'assistant', content },
    { role: 'user', content: answered },
  ]
  const messages = [user, ...turn, begun]
  const body = Buffer.from(JSON.stringify({ model: 'm', max_tokens: 9, messages }))
  const request = accepted(finish(readMessagesRequest(body, { cipher: READABLE_CIPHER })))
  const told = JSON.parse(encodeRequest(request, { model: 'm', descriptor: mistral }).toString())
  const { id } = told.messages[1].tool_calls[0]
  expect(id).toMatch(/^[A-Za-z0-9]{9}$/)
  expect(told.messages).toEqual([user, calling(id), result(id), { ...begun, prefix: true }])
})

test('messages that need no change keep their bytes', () => {
  const messages = [
    { role: 'system', content: '' },
    user,
    calling('abcDEF123'),
    result('abcDEF123'),
    { role: '__proto__', tool_calls: [7, { id: 7 }] },
  ]
  for (const descriptor of [mistral, moonshot]) {
    const { request, sent: told } = encoded(descriptor, messages)
    expect(told.equals(request.body)).toBe(true)
  }
})
