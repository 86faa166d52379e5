import { expect, test } from 'vitest'
import { formatCountTick, formatSpendTick } from './amounts.ts'

const money = { quotaPerUnit: 500_000, inCurrency: true }

test('neighbouring lines of a chart never have the same label', () => {
  expect([500, 1000].map((tick) => formatSpendTick(tick, 500, money))).toEqual(['$0.001', '$0.002'])
  expect(formatSpendTick(5e11, 5e11, money)).toBe('$1.0M')
  expect(formatSpendTick(250_000, 250_000, money)).toBe('$0.50')
  expect(formatCountTick(12_000)).toBe('12.0k')
})
