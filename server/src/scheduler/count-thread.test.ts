import { expect, test } from 'vitest'
import { countTextsHere, type EncodingName } from '@tollgate/relay'
import { CountThread } from './count-thread.ts'

const TEXTS = ['The quick brown fox', '', '今天天气怎么样？', 'a'.repeat(2000)]

test.each(['o200k_base', 'cl100k_base'] as const)(
  'counts by %s as this thread does',
  async (name) => {
    expect(await new CountThread().count(1, name, TEXTS)).toEqual(await countTextsHere(name, TEXTS))
  },
)

test('counts empty texts without a thread', async () => {
  expect(await new CountThread().count(1, 'o200k_base', ['', ''])).toEqual([0, 0])
})

test('leaves the event loop to others while an encoding is loaded', async () => {
  const thread = new CountThread()
  let turns = 0
  const timer = setInterval(() => (turns += 1), 1)
  await thread.count(1, 'p50k_base', ['x'.repeat(10_000)])
  clearInterval(timer)
  expect(turns).toBeGreaterThan(3)
})

test('serves callers in turn, however many texts one of them has', async () => {
  const thread = new CountThread()
  const order: number[] = []
  const count = (owner: number) =>
    thread.count(owner, 'o200k_base', ['text']).then(() => order.push(owner))
  await Promise.all([count(1), count(1), count(1), count(2), count(3)])
  expect(order).toEqual([1, 1, 2, 3, 1])
})

test('rejects what it cannot count, and goes on counting', async () => {
  const thread = new CountThread()
  // Safe because only the thread reads the name, which no list has.
  const unknown = 'no-encoding' as EncodingName
  await expect(thread.count(1, unknown, ['x'])).rejects.toThrow(Error)
  expect(await thread.count(1, 'o200k_base', ['hello'])).toEqual([1])
})
