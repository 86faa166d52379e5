import { expect, test } from 'vitest'
import { readBillingExpression } from './billing-expression.ts'

test('a price and its tiers by length of the prompt are read', () => {
  expect(readBillingExpression('tier("base", p * 2.5 + c * 15 + cr * 0.25 + cc * 3)')).toEqual({
    input: 2.5,
    output: 15,
    cached: 0.25,
    cache_write: 3,
    long: [],
  })
  const tiered =
    'v1: len <= 200000 ? tier("short", p * 3 + c * 15 + cr * 0.3) : tier("long", p * 6 + c * 22.5)'
  expect(readBillingExpression(tiered)).toEqual({
    input: 3,
    output: 15,
    cached: 0.3,
    long: [{ above: 200_000, input: 6, output: 22.5 }],
  })
  const three =
    'len < 32000 ? tier("a", p * 1 + c * 2) : len <= 128000 ? tier("b", p * 2 + c * 4) : tier("c", p * 3 + c * 6)'
  expect(readBillingExpression(three)?.long).toEqual([
    { above: 31_999, input: 2, output: 4 },
    { above: 128_000, input: 3, output: 6 },
  ])
})

test.each([
  'p * 3',
  'tier("a", p * 3 + c * 15) ||| hour("UTC") < 8 ? 0.5 : 1',
  'tier("a", max(p, 100) * 3)',
  'param("service_tier") == "flex" ? tier("a", p * 1) : tier("b", p * 2)',
  'tier("a", c * 15)',
  '',
])('another expression is left to the operator: %s', (expression) => {
  expect(readBillingExpression(expression)).toBeNull()
})
