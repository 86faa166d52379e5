import { expect, test } from 'vitest'
import { type JsonRecord, listOf } from '../bytes/json-value.ts'
import { cardOf } from '../cards/card-of.ts'
import type { Vendor } from '../cards/model-card.ts'
import { sentChat } from './testing/chats.ts'

/* What agents leave in the history of a session that moves to another model or is summarized. */

const question = { role: 'user', content: 'hi' }
const call = { id: 'c', type: 'function', function: { name: 'look', arguments: '{}' } }
const called = { role: 'assistant', content: 'Let me see.', tool_calls: [call] }
const result = { role: 'tool', tool_call_id: 'c', content: 'chart.png' }
const history = [question, called, result]

const sent = (model: string, given: JsonRecord, at: Vendor = 'unknown'): JsonRecord =>
  sentChat({ model, ...given }, cardOf(at, model))

const toolNamed = (name: string) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: {} } },
})

test('Groq looks up the tools of earlier calls', () => {
  const messages = [...history, question]
  const summary = sent('openai/gpt-oss-120b', { messages }, 'groq')
  expect(summary).toMatchObject({ tools: [toolNamed('look')], tool_choice: 'none' })
  const changed = sent('openai/gpt-oss-120b', { messages, tools: [toolNamed('f')] }, 'groq')
  expect(changed['tools']).toMatchObject([toolNamed('f'), toolNamed('look')])
  expect(changed['tool_choice']).toBeUndefined()
  const tools = [toolNamed('look')]
  expect(sent('openai/gpt-oss-120b', { messages, tools }, 'groq')['tools']).toEqual(tools)
  expect(sent('gpt-4.1', { messages })['tools']).toBeUndefined()
})

test.each(['deepseek-v4-pro', 'glm-5.2'])('%s is told that a tool has shown an image', (model) => {
  const image = { type: 'image_url', image_url: { url: 'https://a.example/b.png' } }
  const seen = { role: 'user', content: [image] }
  const told = JSON.stringify(listOf(sent(model, { messages: [...history, seen] })['messages']))
  expect(told).toContain('[An image that this model cannot read]')
  expect(told).not.toContain('image_url')
})
