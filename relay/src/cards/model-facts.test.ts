import { expect, test } from 'vitest'
import { modelFacts } from './listed-facts.ts'
import { contextWindow, maxOutputTokens, usesHiddenReasoning } from './model-facts.ts'

/* Names of models at other vendors; `built-in-models.test.ts` has the names of their makers. */

test.each([
  ['ft:gpt-3.5-turbo-0125:acme::abc123', 4096],
  ['ft:gpt-4o-2024-08-06:acme::abc123', 16_384],
  ['anthropic.claude-3-5-sonnet-20241022-v2:0', 8192],
  ['us.anthropic.claude-opus-4-1-20250805-v1:0', 32_000],
  ['anthropic/claude-opus-4.1', 32_000],
  ['claude-opus-4-10', 128_000],
  ['another-model', null],
])('%s writes at most %s tokens', (model, most) => {
  expect(maxOutputTokens(model)).toBe(most)
})

test.each([
  ['codex-mini-latest', true],
  ['claude-sonnet-latest', true],
  ['openai/o3', true],
  ['anthropic/claude-opus-4.5', true],
  ['x-ai/grok-4', true],
  ['ft:o4-mini-2025-04-16:acme::abc123', true],
  ['us.anthropic.claude-opus-4-6-v1', true],
])('whether %s has hidden reasoning: %s', (model, unseen) => {
  expect(usesHiddenReasoning([model])).toBe(unseen)
})

test('either name of a model may reveal hidden reasoning', () => {
  expect(usesHiddenReasoning(['my-deployment', 'o3'])).toBe(true)
  expect(usesHiddenReasoning(['my-deployment', 'alias'])).toBe(false)
})

test.each([
  ['anthropic/claude-sonnet-4.5', 1_000_000],
  ['models/gemini-2.5-flash', 1_048_576],
  ['another-model', null],
  ['ft:gpt-4.1-mini-2025-04-14:acme::abc123', 1_047_576],
  ['ft:gpt-4o-2024-08-06:acme::abc123', null],
  ['anthropic.claude-sonnet-4-20250514-v1:0', 1_000_000],
  ['us.anthropic.claude-opus-4-6-v1', 1_000_000],
  ['bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0', 1_000_000],
  ['apac.anthropic.claude-haiku-4-5-20251001-v1:0', null],
  ['global.anthropic.claude-opus-4-5-20251101-v1:0', null],
  ['claude-opus-4-10', 1_000_000],
  ['claude-opus-4-10-20270101', 1_000_000],
  ['anthropic/claude-opus-4.10', 1_000_000],
  ['anthropic/claude-opus-4.6', 1_000_000],
  ['gpt-5.10', 1_050_000],
  ['gpt-5.4-nano-2026-03-17', null],
  ['gpt-35-turbo', null],
])('%s reads at most %s tokens', (model, most) => {
  expect(contextWindow(model)).toBe(most)
})

test.each([
  ['claude-haiku-4-5', ['text', 'image', 'pdf']],
  ['anthropic/claude-sonnet-5', ['text', 'image', 'pdf']],
  ['claude-3-haiku-20240307', ['text', 'image']],
  ['claude-2.1', ['text']],
  ['o1-mini', ['text']],
  ['o3-mini-2025-01-31', ['text']],
  ['o3', ['text', 'image', 'pdf']],
  ['pixtral-12b-2409', ['text', 'image']],
  ['mistral-medium-2508', ['text', 'image']],
  ['mistral-medium-latest', ['text', 'image']],
  ['mistral-small-2506', ['text', 'image']],
  ['magistral-medium-2509', ['text', 'image']],
  ['magistral-small-2507', ['text']],
  ['minimax/minimax-m3', ['text', 'image', 'video']],
  ['MiniMax-M2.5', ['text']],
  ['moonshot-v1-8k-vision-preview', ['text', 'image']],
  ['moonshot-v1-8k', ['text']],
  ['grok-2-vision-1212', ['text', 'image']],
  ['grok-3', ['text']],
  ['qwen3-vl-plus', ['text', 'image', 'video']],
  ['qwen-omni-turbo', ['text', 'image', 'audio', 'video']],
  ['qwen3-omni-30b-a3b-thinking', ['text', 'image', 'audio', 'video']],
  ['qwen-max', ['text']],
  ['glm-4.5v', ['text', 'image', 'video']],
  ['glm-4.6', ['text']],
])('the model %s is listed as reading %j', (model, inputs) => {
  expect(modelFacts(model).inputs).toEqual(inputs)
})
