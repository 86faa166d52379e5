import { expect, test } from 'vitest'
import { formatCountTick, formatDurationTick, formatSpendTick } from './amounts.ts'

const money = { quotaPerUnit: 500_000, inCurrency: true }

test('neighbouring lines of a chart never have the same label', () => {
  expect([500, 1000].map((tick) => formatSpendTick(tick, 500, money))).toEqual(['$0.001', '$0.002'])
  expect(formatSpendTick(5e11, 5e11, money)).toBe('$1M')
  expect(formatSpendTick(250_000, 250_000, money)).toBe('$0.50')
  expect(formatCountTick(12_000)).toBe('12k')
  expect(formatCountTick(12_500)).toBe('12.5k')
})

test('ticks of times have the decimals they need', () => {
  const ticks = (...values: number[]) =>
    values.map((value) => formatDurationTick(value, (values[1] ?? 0) - (values[0] ?? 0)))
  expect(ticks(0, 10_000, 20_000)).toEqual(['0', '10 s', '20 s'])
  expect(ticks(0, 500, 1000, 1500)).toEqual(['0', '500 ms', '1.0 s', '1.5 s'])
})
