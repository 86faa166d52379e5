import { expect, test } from 'vitest'
import { type JsonRecord, omit, parseJson } from '../../bytes/json-value.ts'
import { cardOf } from '../../cards/card-of.ts'
import { formIn } from '../../fit/testing/chats.ts'
import type { ProviderCall } from '../provider-codec.ts'
import { plainRequest as plainFor } from './plain-request.ts'

const channel = { baseUrl: '', key: 'k', other: '' }
const base = { endpoint: 'chat', stream: false, channel, now: 0, id: 'i' } as const

type Given = Pick<ProviderCall, 'request' | 'model' | 'form'>

const plainRequest = (given: Given) =>
  plainFor({ ...base, ...given }, cardOf('unknown', given.model))

const translated = (request: JsonRecord, model: string): unknown => {
  const sent = plainRequest({ request, model, form: formIn({ model, ...request }) })
  return parseJson(JSON.stringify(omit(sent, 'model')))
}

const text = (words: string, more = {}) => ({ type: 'text', text: words, ...more })
const mark = { cache_control: { type: 'ephemeral' } }
const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }

test("members of other dialects are removed for providers with OpenAI's", () => {
  const request = {
    model: 'gpt-4o',
    ...mark,
    messages: [
      { role: 'user', content: [text('hi', mark), text('ho')] },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ ...call, extra_content: { google: { thought_signature: 's' } } }],
        thinking_blocks: [{ type: 'thinking', thinking: 'Hm', signature: 's' }],
      },
    ],
    tools: [{ type: 'function', function: { name: 'f' }, ...mark }],
  }
  expect(plainRequest({ request, model: 'gpt-4o' })).toEqual({
    model: 'gpt-4o',
    messages: [
      { role: 'user', content: [text('hi'), text('ho')] },
      { role: 'assistant', content: null, tool_calls: [call] },
    ],
    tools: [{ type: 'function', function: { name: 'f' } }],
  })
})

test('a request without such members is the identical object', () => {
  const messages = [{ role: 'user', content: [text('hi')], reasoning_content: 'x' }]
  const request = { model: 'gpt-4o', messages, top_k: 5 }
  expect(plainRequest({ request, model: 'gpt-4o' })).toBe(request)
})

test('no codec-only member is left in a translated request, marked or not', () => {
  const messages = [
    { role: 'user', content: 'hi' },
    { role: 'assistant', content: 'Hello', reasoning_content: 'Hm' },
  ]
  const request = { messages, max_tokens: 9, top_k: 5, safety_settings: [], verbosity: 'low' }
  const plain = (model: string) => translated(request, model)
  expect(plain('gpt-5')).toEqual({
    messages: [messages[0], { role: 'assistant', content: 'Hello' }],
    max_completion_tokens: 9,
    verbosity: 'low',
  })
  expect(plain('glm-4.5')).toEqual({ messages, max_tokens: 9 })
})
