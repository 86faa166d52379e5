import { expect, test } from 'vitest'
import { custom } from '../../providers/generic/descriptor.ts'
import { mistral } from '../../providers/mistral/descriptor.ts'
import { moonshot } from '../../providers/openai-compatible/descriptor.ts'
import { encodeRequest } from './encode-request.ts'
import { requestIn } from './testing/chat.ts'
import { hasPrefill, isContinuable } from './vendor-messages.ts'

const user = { role: 'user', content: '你好' }
const asked = { model: 'm', messages: [user], stream: true }

test('a stream of one plain-text answer may be continued, whatever the other settings', () => {
  const fine = [
    asked,
    { ...asked, n: 1, temperature: 1, tools: [], response_format: { type: 'text' } },
    { ...asked, modalities: ['text'], logprobs: false },
  ]
  for (const body of fine) expect(isContinuable(requestIn(body))).toBe(true)
})

test('no other stream may', () => {
  const others = [
    { ...asked, stream: false },
    { ...asked, n: 2 },
    { ...asked, response_format: { type: 'json_object' } },
    { ...asked, response_format: { type: 'json_schema', json_schema: {} } },
    { ...asked, modalities: ['text', 'audio'] },
    { ...asked, logprobs: true },
  ]
  for (const body of others) expect([body, isContinuable(requestIn(body))]).toEqual([body, false])
  expect(isContinuable(requestIn({ ...asked, prompt: 'a' }, 'completions'))).toBe(false)
})

test('detects a prefill by the client', () => {
  expect(hasPrefill(requestIn(asked))).toBe(false)
  const begun = { ...asked, messages: [user, { role: 'assistant', content: 'Well' }] }
  expect(hasPrefill(requestIn(begun))).toBe(true)
})

test('sends a prefill to providers that support it, marked as each requires', () => {
  const sent = (descriptor: typeof custom | typeof mistral | typeof moonshot) => {
    const body = encodeRequest(requestIn(asked), { model: 'm', descriptor, prefill: 'Hel"lo' })
    return JSON.parse(body.toString()).messages
  }
  const beginning = { role: 'assistant', content: 'Hel"lo' }
  expect(sent(mistral)).toEqual([user, { ...beginning, prefix: true }])
  expect(sent(moonshot)).toEqual([user, { ...beginning, partial: true }])
  expect(sent(custom)).toEqual([user])
})
