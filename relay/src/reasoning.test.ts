import { expect, test } from 'vitest'
import type { NativeForm } from './dialects/openai/request.ts'
import type { JsonRecord } from './json-value.ts'
import { mayThinkUnseen } from './reasoning.ts'

const asked = (request: JsonRecord) => ({ json: () => request })

test.each<[string, JsonRecord, boolean]>([
  ['o3', {}, true],
  ['gpt-5', { reasoning_effort: 'none' }, false],
  ['gpt-5', { reasoning_effort: 'low' }, true],
  ['gpt-4o', { reasoning_effort: 'high' }, false],
  ['claude-sonnet-4-6', {}, false],
  ['claude-sonnet-4-6', { reasoning_effort: 'high' }, true],
  ['claude-sonnet-4-6', { thinking: { type: 'enabled' } }, true],
  ['claude-sonnet-4-6', { thinking: { type: 'disabled' } }, false],
  ['anthropic/claude-opus-4.5', { reasoning: { max_tokens: 1000 } }, true],
  ['claude-opus-5', {}, true],
  ['claude-opus-5', { reasoning_effort: 'none' }, false],
  ['claude-opus-5-5', { reasoning_effort: 'none' }, true],
  ['claude-3-5-sonnet-latest', { reasoning_effort: 'high' }, false],
  ['gemini-2.5-flash', { reasoning: { effort: 'none' } }, false],
])('whether %s may think unseen, asked with %j: %s', (model, request, unseen) => {
  expect(mayThinkUnseen(asked(request), ['alias', model])).toBe(unseen)
})

test('a budget asks for thoughts, and so may what has no form of OpenAI', () => {
  const model = ['claude-sonnet-4-5']
  expect(mayThinkUnseen({ ...asked({}), thinkingBudget: 2000 }, model)).toBe(true)
  const problem = { type: 'invalid_request_error', message: '', param: null, code: null } as const
  // Safe because nothing else is read of it.
  const native = { obstacle: problem } as unknown as NativeForm
  expect(mayThinkUnseen({ ...asked({}), native }, model)).toBe(true)
  expect(mayThinkUnseen(asked({}), model)).toBe(false)
})
