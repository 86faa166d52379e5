import { expect, test } from 'vitest'
import { cardOf } from '../cards/card-of.ts'
import { anthropicDialect } from '../wires/anthropic-messages/dialect.ts'
import { conversationOf as anthropicConversation } from '../wires/anthropic-messages/write-messages.ts'
import { geminiCallAt, geminiDialect } from '../wires/gemini/dialect.ts'
import { conversationOf as geminiConversation } from '../wires/gemini/write-contents.ts'
import { readChatForm } from '../wires/openai-chat/read-request.ts'
import { answerIn } from '../wires/openai-chat/testing/chat.ts'
import { cipherFor } from '../wires/openai-responses/testing/readable-cipher.ts'
import { argumentsIn, NESTED_NODES_MAX, NestedJson } from './nested-json.ts'

const formOf = (messages: unknown[]) => [...readChatForm({ messages }).messages]

const numbers = (count: number) => `{"a":[${'1,'.repeat(count - 5)}1]}`

test('texts share one limit, beyond which none is parsed', () => {
  const nested = new NestedJson()
  expect(nested.parse('{"a":1}')).toEqual({ a: 1 })
  expect(nested.parse('no JSON')).toBeUndefined()
  expect(nested.parse(numbers(NESTED_NODES_MAX / 2))).toBeDefined()
  expect(nested.isSpent).toBe(false)
  expect(nested.parse(numbers(NESTED_NODES_MAX / 2))).toBeUndefined()
  expect(nested.isSpent).toBe(true)
  expect(nested.parse('{}')).toBeUndefined()
})

test('a long text of few values does not count', () => {
  const nested = new NestedJson()
  const input = { path: '/a', content: 'if (a) { b[0], c: "d" }\n'.repeat(100_000) }
  expect(nested.parse(JSON.stringify(input))).toEqual(input)
  expect(nested.isSpent).toBe(false)
})

const calls = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    id: `c${at}`,
    type: 'function',
    function: { name: 'f', arguments: numbers(30_000) },
  }))

const asked = (count: number) => [
  { role: 'user', content: 'x' },
  { role: 'assistant', content: null, tool_calls: calls(count) },
]

test('arguments of many calls keep their text before they delay Anthropic', () => {
  const { turns } = anthropicConversation(formOf(asked(4)), 'claude-sonnet-4')
  const text = numbers(30_000)
  expect(turns.at(-1)?.content.map(({ input }) => input)).toEqual([
    ...[1, 2, 3].map(() => JSON.parse(text)),
    { arguments: text },
  ])
})

test('arguments of many calls keep their text before they delay Gemini', () => {
  const { contents } = geminiConversation(formOf(asked(4)), cardOf('google', 'gemini-2.5-pro'))
  const [last] = contents.at(-1)?.parts.slice(-1) ?? []
  expect(last).toMatchObject({ functionCall: { args: { arguments: numbers(30_000) } } })
})

test('large tool results stay text', () => {
  const result = (at: number) => ({
    role: 'tool',
    tool_call_id: `c${at}`,
    content: numbers(60_000),
  })
  const messages = [...asked(2), result(0), result(1)]
  const { contents } = geminiConversation(formOf(messages), cardOf('google', 'gemini-2.5-pro'))
  const [first, second] = contents.at(-1)?.parts ?? []
  expect(first).toMatchObject({ functionResponse: { response: { a: expect.any(Array) } } })
  expect(second).toMatchObject({ functionResponse: { response: { result: expect.any(String) } } })
})

test('oversized arguments of a provider are dropped', () => {
  const message = { role: 'assistant', content: 'hi', tool_calls: calls(4) }
  const body = Buffer.from(JSON.stringify({ choices: [{ index: 0, message }] }))
  expect(answerIn(anthropicDialect(cipherFor), body)).toMatchObject({
    content: [{}, { input: { a: expect.any(Array) } }, {}, {}, { input: {} }],
  })
  const gemini = geminiDialect(geminiCallAt('/v1beta/models/m:generateContent', ''), cipherFor)
  expect(answerIn(gemini, body)).toMatchObject({
    candidates: [{ content: { parts: [{}, {}, {}, {}, { functionCall: { args: {} } }] } }],
  })
})

test('arguments beyond the limit keep their text', () => {
  const text = numbers(NESTED_NODES_MAX * 2)
  expect(argumentsIn(text, new NestedJson())).toEqual({ arguments: text })
})
