import { expect, test } from 'vitest'
import { inputTokensMost } from './input-most.ts'

test.each([
  ['gpt-4.1-nano', 1_047_576],
  ['openai/gpt-5.4', 1_050_000],
  ['gpt-5-mini', null],
  ['gpt-4o', null],
  ['claude-sonnet-4-20250514', 1_000_000],
  ['anthropic/claude-sonnet-4.5', 1_000_000],
  ['claude-opus-4-6', 1_000_000],
  ['claude-opus-4-5-20251101', null],
  ['claude-opus-4-20250514', null],
  ['claude-haiku-4-5', null],
  ['claude-sonnet-5', 1_000_000],
  ['claude-3-7-sonnet-latest', null],
  ['gemini-1.5-pro', 2_097_152],
  ['models/gemini-2.5-flash', 1_048_576],
  ['another-model', null],
])('%s reads at most %s tokens', (model, most) => {
  expect(inputTokensMost(model)).toBe(most)
})
