import { beforeEach, expect, test } from 'vitest'
import { createTtlMemo, type TtlMemo } from './ttl-memo.ts'

const clock = { time: 1, now: () => clock.time }
let recent: TtlMemo<number>
let reads: number

beforeEach(() => {
  recent = createTtlMemo({ clock })
  reads = 0
})

const readTaking = (milliseconds: number) =>
  recent('key', async () => {
    clock.time += milliseconds
    return ++reads
  })

test.each([
  ['a value read at once is kept for a second', 0, 1000],
  ['what takes long is kept a hundred times as long', 50, 5000],
  ['nothing is kept for more than half a minute', 900, 30_000],
])('%s', async (_what, takes, kept) => {
  await readTaking(takes)
  clock.time += kept / 2 - 1
  expect(await readTaking(takes)).toBe(1)
  expect(reads).toBe(1)
  clock.time += kept / 2 + 2
  expect(await readTaking(takes)).toBe(2)
})

test('a call in the second half of the time does not wait, and the next one gets the new value', async () => {
  await readTaking(50)
  clock.time += 2600
  const renewal = Promise.withResolvers<number>()
  const renew = () => recent('key', () => renewal.promise)
  expect([await renew(), await renew(), await readTaking(50)]).toEqual([1, 1, 1])
  renewal.resolve(7)
  await renewal.promise
  expect([await readTaking(50), reads]).toEqual([7, 1])
})

test('when a refresh fails, the old value stays until it expires', async () => {
  await readTaking(50)
  clock.time += 2600
  expect(await recent('key', () => Promise.reject(new Error('away')))).toBe(1)
  expect([await readTaking(50), reads]).toEqual([1, 1])
  clock.time += 2401
  expect(await readTaking(50)).toBe(2)
})

test('concurrent calls share one read', async () => {
  expect(await Promise.all([readTaking(20), readTaking(20)])).toEqual([1, 1])
})

test('a failed read is not kept', async () => {
  const failing = recent('key', () => Promise.reject(new Error('away')))
  await expect(failing).rejects.toThrow('away')
  expect(await readTaking(0)).toBe(1)
})
