import fc from 'fast-check'
import { expect, test } from 'vitest'
import { prefetchSize, leaseSize } from './lease-size.ts'

// guards: C14.3, C21.2
test.each([
  ['all there is when that is enough', 70, [50, 100, 900], 70],
  ['nothing when there is too little', 49, [50, 100, 900], 0],
  ['exactly what is needed of little', 1999, [50, 100, 900], 100],
  ['some ahead of much', 2000, [50, 100, 900], 100 + 250],
  ['no more ahead than is used', 100_000, [50, 100, 900], 1000],
  ['exactly what is needed after a revocation', 100_000, [50, 100, 0], 100],
  ['nothing of what is overdrawn', -5, [0, 100, 900], 0],
])('an epoch gets %s', (_of, available, [min = 0, max = 0, recentCharges = 0], size) => {
  expect(leaseSize(available, { min, max, recentCharges })).toBe(size)
})

const amount = fc.integer({ min: 0, max: 10_000 })
const demands = fc
  .record({ min: amount, more: amount, recentCharges: amount })
  .map(({ min, more, recentCharges }) => ({ min, max: min + more, recentCharges }))

test('a lease is never more than the balance, and at least the minimum or nothing', () => {
  fc.assert(
    fc.property(fc.integer({ min: -100, max: 500_000 }), demands, (available, demand) => {
      const size = leaseSize(available, demand)
      expect(Number.isSafeInteger(size)).toBe(true)
      expect(size).toBeLessThanOrEqual(Math.max(0, available))
      expect(size === 0 || size >= Math.min(demand.max, available)).toBe(true)
      expect(size).toBeGreaterThanOrEqual(
        available >= demand.min && available >= 0 ? demand.min : 0,
      )
      expect(size).toBeLessThanOrEqual(demand.max + demand.recentCharges)
      if (available >= demand.max && demand.max > 0) {
        expect(size - demand.max).toBeLessThanOrEqual(available / 8)
      }
    }),
  )
})

// guards: C21.3
test.each([
  ['as much as was used', 100_000, [100, 0, 900], 900],
  ['no more than an eighth', 4000, [100, 0, 900], 500],
  ['while less than a hold and half of it is free', 100_000, [100, 549, 900], 900],
  ['nothing while there is more', 100_000, [100, 550, 900], 0],
  ['nothing of little', 1999, [100, 0, 900], 0],
  ['nothing after a revocation', 100_000, [100, 0, 0], 0],
  ['nothing of what is overdrawn', -5, [0, 0, 900], 0],
])('a node leases ahead %s', (_of, available, [hold = 0, free = 0, recentCharges = 0], granted) => {
  expect(prefetchSize(available, { hold, free, recentCharges })).toBe(granted)
})

test('a lease ahead is what a batch requests beyond any need', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 500_000 }),
      amount,
      amount,
      (available, hold, recentCharges) => {
        const granted = prefetchSize(available, { hold, free: 0, recentCharges })
        if (granted > 0)
          expect(leaseSize(available, { min: 0, max: 0, recentCharges })).toBeGreaterThanOrEqual(
            granted,
          )
        expect(granted).toBeLessThanOrEqual(available / 8)
      },
    ),
  )
})
