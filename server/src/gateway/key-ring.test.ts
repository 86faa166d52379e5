import { expect, test } from 'vitest'
import { KeyRing } from './key-ring.ts'

const NOW = 1_000_000
const MINUTE_MS = 60_000

const take = (ring: KeyRing, count: number, now = NOW) =>
  Array.from({ length: count }, () => ring.next(now))

test('keys are used in turn', () => {
  expect(take(new KeyRing(['a', 'b', 'c']), 4)).toEqual(['a', 'b', 'c', 'a'])
})

test('a refused key is left out; only the last refusal says that none is left', () => {
  const ring = new KeyRing(['a', 'b', 'c'])
  expect(ring.refuse('b', NOW)).toBe(false)
  expect(ring.refuse('b', NOW)).toBe(false)
  expect(new Set(take(ring, 6))).toEqual(new Set(['a', 'c']))
  expect(ring.refuse('a', NOW)).toBe(false)
  expect(ring.refuse('c', NOW)).toBe(true)
})

test('when all were refused all are tried again', () => {
  const ring = new KeyRing(['a', 'b'])
  ring.refuse('a', NOW)
  ring.refuse('b', NOW)
  expect(new Set(take(ring, 2))).toEqual(new Set(['a', 'b']))
})

test('the one key of a channel stays in use, and each refusal is the last', () => {
  const ring = new KeyRing(['a'])
  expect([ring.refuse('a', NOW), ring.next(NOW), ring.refuse('a', NOW)]).toEqual([true, 'a', true])
})

test('a refused key is tried again after ten minutes', () => {
  const ring = new KeyRing(['a', 'b'])
  ring.refuse('a', NOW)
  expect(take(ring, 2, NOW + 9 * MINUTE_MS)).toEqual(['b', 'b'])
  expect(new Set(take(ring, 2, NOW + 10 * MINUTE_MS))).toEqual(new Set(['a', 'b']))
})

test('a limited key is left out for as long as was asked for, and is not refused', () => {
  const ring = new KeyRing(['a', 'b'])
  ring.limit('a', NOW, 30_000)
  expect([ring.hasOther('a', NOW), ring.hasOther('b', NOW)]).toEqual([true, false])
  expect(take(ring, 2)).toEqual(['b', 'b'])
  expect(ring.refuse('b', NOW)).toBe(false)
  expect(new Set(take(ring, 4, NOW + 30_000))).toEqual(new Set(['a']))
})

test('where all are left out the one whose time is over first is used', () => {
  const ring = new KeyRing(['a', 'b', 'c'])
  ring.limit('a', NOW, 30_000)
  ring.limit('b', NOW, 10_000)
  ring.limit('c', NOW, 20_000)
  expect(take(ring, 2)).toEqual(['b', 'b'])
})

test('a channel is left alone until its first key is free, one with a single key for as long as was asked', () => {
  const ring = new KeyRing(['a', 'b'])
  ring.limit('a', NOW, null)
  ring.limit('b', NOW + 1000, 600_000)
  expect(ring.leaveAloneMs(600_000, NOW + 1000)).toBe(4000)
  expect(ring.leaveAloneMs(600_000, NOW + MINUTE_MS)).toBe(0)
  expect(new KeyRing(['a']).leaveAloneMs(600_000, NOW)).toBe(600_000)
  expect(new KeyRing(['a']).leaveAloneMs(null, NOW)).toBeNull()
})
