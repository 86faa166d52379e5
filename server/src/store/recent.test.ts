import { beforeEach, expect, test } from 'vitest'
import { createRecent, type Recent } from './recent.ts'

const clock = { time: 1, now: () => clock.time }
let recent: Recent<number>
let reads: number

beforeEach(() => {
  recent = createRecent({ clock })
  reads = 0
})

const readTaking = (milliseconds: number) =>
  recent('key', async () => {
    clock.time += milliseconds
    return ++reads
  })

test('what is read at once is read again after a second', async () => {
  await readTaking(0)
  clock.time += 900
  expect(await readTaking(0)).toBe(1)
  clock.time += 101
  expect(await readTaking(0)).toBe(2)
})

test('what takes long is kept a hundred times as long', async () => {
  await readTaking(50)
  clock.time += 4900
  expect(await readTaking(50)).toBe(1)
  clock.time += 101
  expect(await readTaking(50)).toBe(2)
})

test('nothing is kept for more than ten seconds', async () => {
  await readTaking(900)
  clock.time += 9900
  expect(await readTaking(900)).toBe(1)
  clock.time += 101
  expect(await readTaking(900)).toBe(2)
})

test('many who ask at the same time are answered by one read', async () => {
  expect(await Promise.all([readTaking(20), readTaking(20)])).toEqual([1, 1])
})

test('a read that failed is not kept', async () => {
  const failing = recent('key', () => Promise.reject(new Error('away')))
  await expect(failing).rejects.toThrow('away')
  expect(await readTaking(0)).toBe(1)
})
