import { expect, test } from 'vitest'
import { KeyRing } from './key-ring.ts'

const take = (ring: KeyRing, count: number) => Array.from({ length: count }, () => ring.next())

test('keys are used in turn', () => {
  expect(take(new KeyRing(['a', 'b', 'c']), 4)).toEqual(['a', 'b', 'c', 'a'])
})

test('a refused key is left out; only the last refusal says that none is left', () => {
  const ring = new KeyRing(['a', 'b', 'c'])
  expect(ring.refuse('b')).toBe(false)
  expect(ring.refuse('b')).toBe(false)
  expect(new Set(take(ring, 6))).toEqual(new Set(['a', 'c']))
  expect(ring.refuse('a')).toBe(false)
  expect(ring.refuse('c')).toBe(true)
})

test('when all were refused all are tried again', () => {
  const ring = new KeyRing(['a', 'b'])
  ring.refuse('a')
  ring.refuse('b')
  expect(new Set(take(ring, 2))).toEqual(new Set(['a', 'b']))
})

test('the one key of a channel stays in use, and each refusal is the last', () => {
  const ring = new KeyRing(['a'])
  expect([ring.refuse('a'), ring.next(), ring.refuse('a')]).toEqual([true, 'a', true])
})
