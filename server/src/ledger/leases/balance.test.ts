import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Balance } from './balance.ts'

const amount = fc.integer({ min: 0, max: 500 })
const step = fc.oneof(
  fc.record({ do: fc.constant('charge' as const), fromLease: amount, wanted: amount }),
  fc.record({ do: fc.constant('give back' as const), fromLease: amount }),
  fc.record({ do: fc.constant('draw' as const), min: amount, more: amount, recentCharges: amount }),
)
const start = fc
  .record({ lease: amount, others: amount, free: amount })
  .map(({ lease, others, free }) => ({
    lease,
    leased: lease + others,
    quota: lease + others + free,
  }))

test('whatever is requested, leases of others stay covered and nothing is created', () => {
  fc.assert(
    fc.property(start, fc.array(step), (amounts, steps) => {
      const balance = new Balance(amounts)
      const others = amounts.leased - amounts.lease
      let charged = 0
      for (const one of steps) {
        if (one.do === 'charge') charged += balance.charge(one.fromLease, one.wanted)
        if (one.do === 'give back') balance.release(one.fromLease)
        if (one.do === 'draw') balance.grant({ ...one, max: one.min + one.more })
        expect(balance.quota).toBe(amounts.quota - charged)
        expect(balance.lease).toBeGreaterThanOrEqual(0)
        expect(balance.leased - balance.lease).toBe(others)
        expect(balance.quota).toBeGreaterThanOrEqual(balance.leased)
      }
    }),
  )
})

test('a charge is at most what is wanted, and as much of it as others do not lease', () => {
  fc.assert(
    fc.property(start, amount, amount, (amounts, fromLease, wanted) => {
      const part = Math.min(fromLease, amounts.lease)
      const free = amounts.quota - amounts.leased
      expect(new Balance(amounts).charge(fromLease, wanted)).toBe(Math.min(wanted, part + free))
    }),
  )
})

test('an incorrect sum of leases does not go below zero', () => {
  const balance = new Balance({ quota: 100, leased: 10, lease: 50 })
  expect(balance.charge(50, 30)).toBe(30)
  expect([balance.quota, balance.leased, balance.lease]).toEqual([70, 0, 40])
})

test('a budget lowered below its spending is charged nothing', () => {
  expect(new Balance({ quota: -20, leased: 0, lease: 0 }).charge(5, 5)).toBe(0)
})
