import { expect, test } from 'vitest'
import { addressKey, createRateLimit } from './rate-limit.ts'

test('calls count from the first on', () => {
  let now = 0
  const limit = createRateLimit({ max: () => 2, windowMs: 10_000, now: () => now })
  expect([limit('a'), limit('a'), limit('a')]).toEqual([null, null, 10])
  expect(limit('b')).toBeNull()
  now = 9500
  expect(limit('a')).toBe(1)
  now = 10_000
  expect(limit('a')).toBeNull()
})

test('no interval as long as the window has more than the limit', () => {
  let now = 0
  const limit = createRateLimit({ max: () => 20, windowMs: 10_000, now: () => now })
  const taken: number[] = []
  for (; now < 100_000; now += 137) if (limit('a') === null) taken.push(now)
  const within = (from: number) => taken.filter((at) => at >= from && at < from + 10_000).length
  for (const from of taken) expect(within(from)).toBeLessThanOrEqual(20)
  expect(taken.length).toBeGreaterThan(150)
})

test('after the stated wait there is room, and not a second sooner', () => {
  let now = 0
  const limit = createRateLimit({ max: () => 5, windowMs: 10_000, now: () => now })
  for (const at of [0, 3000, 6000, 6100, 9000]) {
    now = at
    expect(limit('a')).toBeNull()
  }
  now = 9300
  expect(limit('a')).toBe(1)
  now = 9900
  expect(limit('a')).toBe(1)
  now = 10_300
  expect(limit('a')).toBeNull()
  expect(limit('a')).toBe(3)
})

test('a lowered limit counts earlier calls', () => {
  let most = 3
  const limit = createRateLimit({ max: () => most, windowMs: 10_000, now: () => 0 })
  expect([limit('a'), limit('a')]).toEqual([null, null])
  most = 2
  expect(limit('a')).toBe(10)
  most = 3
  expect(limit('a')).toBeNull()
})

test('a /64 of IPv6 is one caller, an IPv4 address is itself in both forms', () => {
  expect(addressKey('2001:db8:1:2:3::4')).toBe(addressKey('2001:db8:1:2:ffff::'))
  expect(addressKey('2001:db8:1:3::1')).not.toBe(addressKey('2001:db8:1:2::1'))
  expect(addressKey('::ffff:192.0.2.1')).toBe(addressKey('192.0.2.1'))
  expect(addressKey('192.0.2.1')).not.toBe(addressKey('192.0.2.2'))
})
