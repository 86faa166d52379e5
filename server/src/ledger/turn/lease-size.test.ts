import fc from 'fast-check'
import { expect, test } from 'vitest'
import { leaseSize } from './lease-size.ts'

test.each([
  { of: 'all there is when that is enough', available: 70, wish: [50, 100, 900], size: 70 },
  { of: 'nothing when there is too little', available: 49, wish: [50, 100, 900], size: 0 },
  { of: 'exactly what is needed of little', available: 1999, wish: [50, 100, 900], size: 100 },
  { of: 'some ahead of much', available: 2000, wish: [50, 100, 900], size: 100 + 250 },
  { of: 'no more ahead than is used', available: 100_000, wish: [50, 100, 900], size: 1000 },
  {
    of: 'exactly what is needed after a recall',
    available: 100_000,
    wish: [50, 100, 0],
    size: 100,
  },
  { of: 'nothing of what is overdrawn', available: -5, wish: [0, 100, 900], size: 0 },
])('a run gets $of', ({ available, wish: [least = 0, most = 0, recent = 0], size }) => {
  expect(leaseSize(available, { least, most, recent })).toBe(size)
})

const amount = fc.integer({ min: 0, max: 10_000 })
const wishes = fc
  .record({ least: amount, more: amount, recent: amount })
  .map(({ least, more, recent }) => ({ least, most: least + more, recent }))

test('a lease is never more than there is, and what is needed or nothing', () => {
  fc.assert(
    fc.property(fc.integer({ min: -100, max: 500_000 }), wishes, (available, wish) => {
      const size = leaseSize(available, wish)
      expect(Number.isSafeInteger(size)).toBe(true)
      expect(size).toBeLessThanOrEqual(Math.max(0, available))
      expect(size === 0 || size >= Math.min(wish.most, available)).toBe(true)
      expect(size).toBeGreaterThanOrEqual(
        available >= wish.least && available >= 0 ? wish.least : 0,
      )
      expect(size).toBeLessThanOrEqual(wish.most + wish.recent)
      if (available >= wish.most && wish.most > 0) {
        expect(size - wish.most).toBeLessThanOrEqual(available / 8)
      }
    }),
  )
})
