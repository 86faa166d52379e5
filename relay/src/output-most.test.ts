import { expect, test } from 'vitest'
import { outputTokensMost } from './output-most.ts'

test.each([
  ['gpt-3.5-turbo-0125', 4096],
  ['gpt-4-turbo-2024-04-09', 4096],
  ['gpt-4-1106-preview', 4096],
  ['gpt-4', 8192],
  ['gpt-4-32k-0613', 32_768],
  ['gpt-4o-mini', 16_384],
  ['chatgpt-4o-latest', 16_384],
  ['gpt-4.1-nano', 32_768],
  ['o1-mini', 65_536],
  ['o3', 100_000],
  ['gpt-5-mini', 128_000],
  ['claude-sonnet-5', null],
  ['another-model', null],
])('%s writes at most %s tokens', (model, most) => {
  expect(outputTokensMost(model)).toBe(most)
})
