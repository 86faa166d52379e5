import { expect, test } from 'vitest'
import type { JsonRecord } from './bytes/json-value.ts'
import { problem } from './errors/request-problem.ts'
import { mayReason, mayUseHiddenReasoning, reasoningOutsideLimit } from './reasoning.ts'
import type { NativeForm } from './relay-request.ts'

const asked = (outline: JsonRecord) => ({ outline })

test.each<[string, JsonRecord, boolean]>([
  ['gpt-5', { reasoning_effort: 'low' }, true],
  ['gpt-4o', { reasoning_effort: 'high' }, false],
  ['claude-sonnet-4-6', { reasoning_effort: 'high' }, true],
  ['claude-sonnet-4-6', { thinking: { type: 'enabled' } }, true],
  ['claude-sonnet-4-6', { thinking: { type: 'disabled' } }, false],
  ['anthropic/claude-opus-4.5', { reasoning: { max_tokens: 1000 } }, true],
  ['claude-sonnet-4-6', { thinking_budget: 2000 }, true],
  ['claude-sonnet-4-6', { enable_thinking: false, thinking_budget: 2000 }, false],
  ['claude-3-5-sonnet-latest', { reasoning_effort: 'high' }, false],
  ['gemini-2.5-flash', { reasoning: { effort: 'none' } }, false],
])('whether %s may reason invisibly, with %j: %s', (model, request, unseen) => {
  expect(mayUseHiddenReasoning(asked(request), ['alias', model])).toBe(unseen)
})

test('a budget requests reasoning, and so may members unknown to OpenAI', () => {
  const model = ['claude-sonnet-4-5']
  expect(mayUseHiddenReasoning({ ...asked({}), thinkingBudget: 2000 }, model)).toBe(true)
  // Safe because no other member is read.
  const native = { obstacle: problem('') } as unknown as NativeForm
  expect(mayUseHiddenReasoning({ ...asked({}), native }, model)).toBe(true)
  expect(mayUseHiddenReasoning(asked({}), model)).toBe(false)
})

test.each([
  'gpt-3.5-turbo',
  'ft:gpt-4o-2024-08-06:acme::abc123',
  'claude-2.1',
  'gemini-pro',
  'meta-llama/Llama-3.3-70B-Instruct',
])('%s never reasons', (model) => {
  expect(mayReason(null, model)).toBe(false)
  expect(mayReason(asked({ reasoning_effort: 'high' }), model)).toBe(false)
})

test.each([
  'gpt-oss-120b',
  'codex-mini-latest',
  'gemini-2.0-flash-thinking-exp',
  'qwq-32b',
  'glm-z1-air',
  'grok-4',
  'doubao-seed-1-6',
  'nvidia/llama-3.3-nemotron-super-49b-v1',
  'claude-sonnet-4-5-thinking',
  'a-name-that-no-list-knows',
])('%s may reason', (model) => {
  expect(mayReason(asked({}), model)).toBe(true)
})

test('Claude 4 reasons on request', () => {
  const model = 'anthropic/claude-sonnet-4.5'
  expect(mayReason(asked({}), model)).toBe(false)
  expect(mayReason(asked({ thinking: { type: 'enabled' } }), model)).toBe(true)
  expect(mayReason(null, model)).toBe(true)
})

test.each<[string, number, JsonRecord, number]>([
  ['o3', 1, {}, 0],
  ['a-name-that-no-list-knows', 8, {}, 0],
  ['qwen3-max', 8, {}, 81_920],
  ['qwen3-max', 17, { thinking_budget: 500 }, 500],
  ['qwen3-max', 17, { thinking_budget: 1e9 }, 81_920],
  ['kimi-k2-thinking', 17, {}, 81_920],
  ['doubao-seed-1-6', 8, {}, 131_072],
  ['deepseek-ai/DeepSeek-R1', 8, {}, 32_768],
])('%s at type %i, with %j, reasons %i tokens beyond its limit', (...row) => {
  const [model, type, request, tokens] = row
  expect(reasoningOutsideLimit(asked(request), { model, type })).toBe(tokens)
})
