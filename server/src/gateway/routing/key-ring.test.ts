import { beforeEach, expect, test } from 'vitest'
import { FakeClock } from '../../../testing/fakes/fake-clock.ts'
import { KeyRing } from './key-ring.ts'

const MINUTE_MS = 60_000

const MODEL = 'm'
const OTHER_MODEL = 'n'

const clock = { ms: 0, monotonic: () => clock.ms }

beforeEach(() => {
  clock.ms = 1_000_000
})

const ringOf = (...keys: string[]) => new KeyRing(keys, clock)

const take = (ring: KeyRing, count: number) => Array.from({ length: count }, () => ring.next(MODEL))

test('keys take turns', () => {
  expect(take(ringOf('a', 'b', 'c'), 4)).toEqual(['a', 'b', 'c', 'a'])
})

test('a refused key is skipped; only the last refusal reports that none is left', () => {
  const ring = ringOf('a', 'b', 'c')
  expect(ring.refuse('b')).toBe(false)
  expect(ring.refuse('b')).toBe(false)
  expect(new Set(take(ring, 6))).toEqual(new Set(['a', 'c']))
  expect(ring.refuse('a')).toBe(false)
  expect([ring.size, ring.refused]).toEqual([3, 2])
  expect(ring.refuse('c')).toBe(true)
  expect(ring.refused).toBe(0)
})

test('after all were refused, all are tried again', () => {
  const ring = ringOf('a', 'b')
  ring.refuse('a')
  ring.refuse('b')
  expect(new Set(take(ring, 2))).toEqual(new Set(['a', 'b']))
})

test('a single key stays in use, and each refusal is the last', () => {
  const ring = ringOf('a')
  expect([ring.refuse('a'), ring.next(MODEL), ring.refuse('a')]).toEqual([true, 'a', true])
})

test('a refused key is tried again after ten minutes', () => {
  const ring = ringOf('a', 'b')
  ring.refuse('a')
  clock.ms += 9 * MINUTE_MS
  expect(take(ring, 2)).toEqual(['b', 'b'])
  expect(ring.refused).toBe(1)
  clock.ms += MINUTE_MS
  expect(ring.refused).toBe(0)
  expect(new Set(take(ring, 2))).toEqual(new Set(['a', 'b']))
})

test('a limited key is skipped for its Retry-After, and does not count as refused', () => {
  const ring = ringOf('a', 'b')
  ring.limit('a', MODEL, 30_000)
  expect([ring.hasOther('a', MODEL), ring.hasOther('b', MODEL)]).toEqual([true, false])
  expect(take(ring, 2)).toEqual(['b', 'b'])
  expect(ring.refuse('b')).toBe(false)
  clock.ms += 30_000
  expect(new Set(take(ring, 4))).toEqual(new Set(['a']))
})

test('a shorter Retry-After does not shorten a longer one', () => {
  const ring = ringOf('a', 'b')
  ring.limit('a', MODEL, 60 * MINUTE_MS)
  clock.ms += MINUTE_MS
  ring.limit('a', MODEL, 1000)
  ring.limit('a', OTHER_MODEL, 1000)
  clock.ms += 58 * MINUTE_MS
  expect(ring.hasOther('b', MODEL)).toBe(false)
  expect(ring.hasOther('b', OTHER_MODEL)).toBe(true)
  clock.ms += MINUTE_MS
  expect(ring.hasOther('b', MODEL)).toBe(true)
})

test('a key limited for one model serves the others; a refused key serves none', () => {
  const ring = ringOf('a', 'b')
  ring.limit('a', MODEL, 30_000)
  ring.limit('b', MODEL, 30_000)
  expect(ring.hasOther('a', OTHER_MODEL)).toBe(true)
  expect([ring.next(OTHER_MODEL), ring.next(OTHER_MODEL)]).toEqual(['a', 'b'])
  expect(ring.retryAfterMs(MODEL, 30_000)).toBe(30_000)
  expect(ring.retryAfterMs(OTHER_MODEL, 30_000)).toBe(0)
  ring.refuse('a')
  expect(ring.hasOther('b', OTHER_MODEL)).toBe(false)
})

test('beyond the maximum of models, the earliest limits are forgotten', () => {
  const ring = ringOf('a', 'b')
  ring.limit('a', MODEL, 30_000)
  for (let index = 0; index < 1000; index += 1) ring.limit('a', `m${index}`, 30_000)
  expect(ring.hasOther('b', MODEL)).toBe(true)
  expect(ring.hasOther('b', 'm999')).toBe(false)
})

test('if all keys are skipped, the key whose time ends first is used', () => {
  const ring = ringOf('a', 'b', 'c')
  ring.limit('a', MODEL, 30_000)
  ring.limit('b', MODEL, 10_000)
  ring.limit('c', MODEL, 20_000)
  expect(take(ring, 2)).toEqual(['b', 'b'])
})

test('a channel waits for its first free key, and with a single key for its Retry-After', () => {
  const ring = ringOf('a', 'b')
  ring.limit('a', MODEL, null)
  clock.ms += 1000
  ring.limit('b', MODEL, 600_000)
  expect(ring.retryAfterMs(MODEL, 600_000)).toBe(4000)
  clock.ms += MINUTE_MS
  expect(ring.retryAfterMs(MODEL, 600_000)).toBe(0)
  expect(ringOf('a').retryAfterMs(MODEL, 600_000)).toBe(600_000)
  expect(ringOf('a').retryAfterMs(MODEL, null)).toBeNull()
})

test('it uses a monotonic clock', async () => {
  const time = new FakeClock()
  const ring = new KeyRing(['a', 'b'], time)
  ring.limit('a', MODEL, 20)
  time.setWall(time.now() - 60 * MINUTE_MS)
  await time.advance(20)
  expect(ring.hasOther('b', MODEL)).toBe(true)
})
