import fc from 'fast-check'
import { expect, test } from 'vitest'
import { prefetchSize, leaseSize } from './lease-size.ts'

// guards: C14.3, C21.2
test.each([
  { of: 'all there is when that is enough', available: 70, demand: [50, 100, 900], size: 70 },
  { of: 'nothing when there is too little', available: 49, demand: [50, 100, 900], size: 0 },
  { of: 'exactly what is needed of little', available: 1999, demand: [50, 100, 900], size: 100 },
  { of: 'some ahead of much', available: 2000, demand: [50, 100, 900], size: 100 + 250 },
  { of: 'no more ahead than is used', available: 100_000, demand: [50, 100, 900], size: 1000 },
  {
    of: 'exactly what is needed after a revocation',
    available: 100_000,
    demand: [50, 100, 0],
    size: 100,
  },
  { of: 'nothing of what is overdrawn', available: -5, demand: [0, 100, 900], size: 0 },
])('an epoch gets $of', ({ available, demand: [min = 0, max = 0, recentCharges = 0], size }) => {
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
  { of: 'as much as was used', available: 100_000, amounts: [100, 0, 900], granted: 900 },
  { of: 'no more than an eighth', available: 4000, amounts: [100, 0, 900], granted: 500 },
  {
    of: 'while less than a hold and half of it is free',
    available: 100_000,
    amounts: [100, 549, 900],
    granted: 900,
  },
  { of: 'nothing while there is more', available: 100_000, amounts: [100, 550, 900], granted: 0 },
  { of: 'nothing of little', available: 1999, amounts: [100, 0, 900], granted: 0 },
  { of: 'nothing after a revocation', available: 100_000, amounts: [100, 0, 0], granted: 0 },
  { of: 'nothing of what is overdrawn', available: -5, amounts: [0, 0, 900], granted: 0 },
])(
  'a node leases ahead $of',
  ({ available, amounts: [hold = 0, free = 0, recentCharges = 0], granted }) => {
    expect(prefetchSize(available, { hold, free, recentCharges })).toBe(granted)
  },
)

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
