import fc from 'fast-check'
import { expect, test } from 'vitest'
import { QUOTA_MAX } from '@tollgate/contract'
import { cashBack, giftBonus } from './partner-plan.ts'

const quota = fc.integer({ min: 1, max: QUOTA_MAX })

test.each([
  [1, 0],
  [19, 0],
  [20, 1],
  [39, 1],
  [100_000, 5000],
  [QUOTA_MAX, QUOTA_MAX / 20],
])('a gift on %d is %d', (amount, bonus) => {
  expect(giftBonus(amount)).toBe(bonus)
})

test('a gift is its share, rounded down', () => {
  fc.assert(
    fc.property(quota, (amount) => {
      const bonus = BigInt(giftBonus(amount))
      expect(bonus * 20n <= BigInt(amount) && (bonus + 1n) * 20n > BigInt(amount)).toBe(true)
    }),
  )
})

test.each([
  // quota, QuotaPerUnit, fen
  [100_000, 500_000, 0],
  [199_999, 500_000, 0],
  [200_000, 500_000, 1],
  [500_000, 500_000, 2],
  [5_000_000, 500_000, 25],
  [250_000_000, 500_000, 1250],
  [QUOTA_MAX, 500_000, 5_000_000_000],
  // 7 × 2.5 fen are 17.5, and 14 × 2.5 exactly 35.
  [0.07 * 700, 7, 17],
  [14, 1, 35],
  // In floating point, results such as 0.14 ÷ 0.07 × 2.5 fall short of whole numbers.
  [21, 0.07, 750],
  [41, 0.1, 1025],
  [3, 0.3, 25],
  [1, 0.01, 250],
  [1, 1_000_000_000, 0],
])('a friend who redeems %d at %d a dollar earns %d fen', (amount, perUnit, fen) => {
  expect(cashBack(Math.round(amount), perUnit)).toBe(fen)
})

test('cash-back is exact at any price of a unit', () => {
  const hundredths = fc.integer({ min: 1, max: 100_000_000 })
  fc.assert(
    fc.property(quota, hundredths, (amount, cents) => {
      const exact = (BigInt(amount) * 5n * 100n) / (2n * BigInt(cents))
      expect(cashBack(amount, cents / 100)).toBe(Number(exact))
    }),
  )
})
