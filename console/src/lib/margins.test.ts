import { expect, test } from 'vitest'
import { marginOf, marginSpan } from './margins.ts'

const row = (quota: number, provider_cost: number, costed_quota = quota) => ({
  quota,
  provider_cost,
  costed_quota,
})

test('a margin is what is charged less what it costs', () => {
  expect(marginOf([row(500_000, 250_000_000), row(500_000, 0)], 500_000)).toEqual({
    charge: 2,
    cost: 0.25,
    amount: 1.75,
    share: 0.875,
    known: 1,
  })
})

test('charges whose cost is unknown count for neither side', () => {
  expect(marginOf([row(1_000_000, 1_500_000_000, 500_000)], 500_000)).toEqual({
    charge: 1,
    cost: 1.5,
    amount: -0.5,
    share: -0.5,
    known: 0.5,
  })
  expect(marginOf([row(1_000_000, 0, 0)], 500_000)).toBeNull()
  expect(marginOf([], 500_000)).toBeNull()
})

test('a cost without a charge has no share', () => {
  expect(marginOf([row(0, 1_000_000_000)], 500_000)).toMatchObject({ amount: -1, share: null })
})

test('a margin is that of 30 days, up to the end of this hour', () => {
  const { start_timestamp, end_timestamp } = marginSpan(7250)
  expect([end_timestamp, end_timestamp - start_timestamp]).toEqual([10_800, 30 * 86_400])
})
