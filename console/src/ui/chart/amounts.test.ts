import { expect, test } from 'vitest'
import { formatCountTick, formatSpend, formatSpendTick, spendFormat } from './amounts.ts'

const money = { quotaPerUnit: 500_000, inCurrency: true }

test('a small cost is never shown as zero', () => {
  expect(formatSpend(2565, money)).toBe('$0.0051')
  expect(formatSpend(0, money)).toBe('$0.00')
  expect(formatSpend(1e12, money)).toBe('$2,000,000.00')
  expect(formatSpend(2565, { ...money, inCurrency: false })).toBe('2,565')
})

test('amounts in one list have the same decimals, including hundredths of a cent', () => {
  const format = spendFormat(20_000_000, money)
  expect([20_000_000, 250_000, 5000, 4999, 0].map(format)).toEqual([
    '$40.00',
    '$0.50',
    '$0.01',
    '<$0.01',
    '$0.00',
  ])
})

test('neighbouring lines of a chart never have the same label', () => {
  expect([500, 1000].map((tick) => formatSpendTick(tick, 500, money))).toEqual(['$0.001', '$0.002'])
  expect(formatSpendTick(5e11, 5e11, money)).toBe('$1.0M')
  expect(formatSpendTick(250_000, 250_000, money)).toBe('$0.50')
  expect(formatCountTick(12_000)).toBe('12.0k')
})
