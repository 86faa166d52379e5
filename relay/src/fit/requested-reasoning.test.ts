import { expect, test } from 'vitest'
import { omit } from '../bytes/json-value.ts'
import { cardOf } from '../cards/card-of.ts'
import { sentChat } from './testing/chats.ts'

test.each([
  [{ reasoning: { effort: 'low' } }, 'low'],
  [{ reasoning: { max_tokens: 2000 } }, 'low'],
  [{ thinking: { type: 'enabled', budget_tokens: 8000 } }, 'medium'],
  [{ thinking: { type: 'adaptive' } }, 'medium'],
  [{ thinking: { type: 'disabled' }, reasoning_effort: 'high' }, 'none'],
  [{ enable_thinking: false }, 'none'],
  [{ enable_thinking: true, thinking_budget: 900 }, 'low'],
  [{ thinking_budget: 20_000 }, 'high'],
  [{ enable_thinking: false, thinking_budget: 900 }, 'none'],
])('%j is the effort %s', (given, reasoning_effort) => {
  const messages = [{ role: 'user', content: 'hi' }]
  const sent = sentChat({ model: 'gpt-5.1', messages, ...given }, cardOf('unknown', 'gpt-5.1'))
  expect(omit(sent, 'model', 'messages')).toEqual({ reasoning_effort })
})
