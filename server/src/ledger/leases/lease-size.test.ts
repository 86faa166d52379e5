import fc from 'fast-check'
import { expect, test } from 'vitest'
import { drawnAhead, leaseSize } from './lease-size.ts'

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

test.each([
  { of: 'as much as was used', available: 100_000, amounts: [100, 0, 900], drawn: 900 },
  { of: 'no more than an eighth', available: 4000, amounts: [100, 0, 900], drawn: 500 },
  {
    of: 'while less than a hold and half of it is free',
    available: 100_000,
    amounts: [100, 549, 900],
    drawn: 900,
  },
  { of: 'nothing while there is more', available: 100_000, amounts: [100, 550, 900], drawn: 0 },
  { of: 'nothing of little', available: 1999, amounts: [100, 0, 900], drawn: 0 },
  { of: 'nothing after a recall', available: 100_000, amounts: [100, 0, 0], drawn: 0 },
  { of: 'nothing of what is overdrawn', available: -5, amounts: [0, 0, 900], drawn: 0 },
])('ahead is drawn $of', ({ available, amounts: [hold = 0, free = 0, recent = 0], drawn }) => {
  expect(drawnAhead(available, { hold, free, recent })).toBe(drawn)
})

test('what is drawn ahead is what a turn draws that nobody needs', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 500_000 }), amount, amount, (available, hold, recent) => {
      const drawn = drawnAhead(available, { hold, free: 0, recent })
      if (drawn > 0)
        expect(leaseSize(available, { least: 0, most: 0, recent })).toBeGreaterThanOrEqual(drawn)
      expect(drawn).toBeLessThanOrEqual(available / 8)
    }),
  )
})
