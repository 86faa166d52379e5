import { expect, test } from 'vitest'
import { reportedCostIn, reportedCostOf } from './reported-cost.ts'
import { parseUsage } from './usage.ts'

const UPSTREAM = { cost_details: { upstream_inference_cost: 0.02 } }

test.each([
  ['none', {}, undefined],
  ['dollars', { cost: 0.000_45 }, 450_000],
  ['nothing', { cost: 0 }, 0],
  ['a fraction of a nano-dollar', { cost: 1.6e-9 }, 2],
  ["a fee for the operator's own key", { ...UPSTREAM, cost: 0.001, is_byok: true }, 21_000_000],
  ['the sum of its details', { ...UPSTREAM, cost: 0.02, is_byok: false }, 20_000_000],
  ["Perplexity's parts", { cost: { input_tokens_cost: 1, total_cost: 0.006 } }, 6_000_000],
  ["xAI's ticks", { cost_in_usd_ticks: 94_000 }, 9400],
  ["LLM Gateway's sum", { cost_usd_total: 0.000_125 }, 125_000],
  ['a negative number', { cost: -1 }, undefined],
  ['text', { cost: '0.1' }, undefined],
  ['more than any answer costs', { cost: 1e9 }, undefined],
  ['no number', { cost: Number.NaN }, undefined],
])('the cost in the usage may be %s', (_, usage, expected) => {
  expect(reportedCostOf(usage)).toBe(expected)
  const parsed = parseUsage({ prompt_tokens: 3, completion_tokens: 4, ...usage })
  expect(parsed?.reportedCost).toBe(expected)
})

test.each([
  [{ 'x-litellm-response-cost': '0.000415' }, 415_000],
  [{ 'x-tollgate-cost': '0.5' }, 500_000_000],
  [{ 'x-litellm-response-cost': 'None' }, undefined],
  [{ 'x-litellm-response-cost': '' }, undefined],
  [{ 'content-type': 'application/json' }, undefined],
])('the cost in the headers %j is %s', (headers, expected) => {
  expect(reportedCostIn(headers)).toBe(expected)
})
