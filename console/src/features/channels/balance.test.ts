import { expect, test } from 'vitest'
import { catalogue } from '@tollgate/relay/catalogue'
import { balanceText } from './balance.ts'

const told = (type: number, balance: number) =>
  balanceText({ type, balance, balance_updated_time: 1_700_000_000 })

test('each type shows its balance in its own unit', () => {
  expect([1, 8].map((type) => told(type, 1234.567))).toEqual(['$1,234.57', '$1,234.57'])
  expect(told(20, 7.25)).toBe('$7.25')
  expect([4, 12].map((type) => told(type, -3.5))).toEqual(['-¥3.50', '-¥3.50'])
  expect(told(5, 123_456)).toBe('¥12.35')
  expect([told(1, 0.004), told(5, -4)]).toEqual(['$0.004', '-¥0.0004'])
  expect([10, 13].map((type) => told(type, 1234567.5))).toEqual(['1,234,567.5', '1,234,567.5'])
})

test('other types are shown as unsupported, and one that was never queried shows no amount', () => {
  const never = ({ type }: { type: number }) =>
    balanceText({ type, balance: 0, balance_updated_time: 0 })
  const supported = catalogue.filter((row) => never(row) !== null).map(({ type }) => type)
  expect(supported.toSorted((a, b) => a - b)).toEqual([1, 4, 5, 8, 10, 12, 13, 20, 36, 44])
  expect(never({ type: 1 })).toBe('—')
  expect(never({ type: 999 })).toBeNull()
})

test('a stored number of an unsupported type is shown', () => {
  expect(told(999, 7.25)).toBe('7.25')
})
