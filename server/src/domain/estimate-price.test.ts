import { expect, test } from 'vitest'
import { builtInPricesAt } from '@tollgate/contract/prices'
import { estimatePrice } from './estimate-price.ts'

const { prices } = builtInPricesAt(Date.parse('2026-11-27T08:00:00Z'))
const dollarsOf = (model: string) => {
  const { model_ratio, completion_ratio } = estimatePrice(model, prices)
  return [model_ratio * 2, model_ratio * 2 * completion_ratio]
}

test.each(['qwen3-coder-local', 'Qwen/Qwen9', 'kimi-for-coding', 'glm-5-local', 'gemini-proxy'])(
  '%s is no cheaper than the text models of its family',
  (model) => {
    const [input = 0, output = 0] = dollarsOf(model)
    expect(input).toBeGreaterThan(0.5)
    expect(input).toBeLessThan(20)
    expect(output).toBeGreaterThanOrEqual(input)
  },
)

test('names of no known family cost 60 dollars', () => {
  for (const model of ['my-model', 'constructor', '', 'unclaude']) {
    expect(dollarsOf(model)).toEqual([60, 60])
  }
})
