import { expect, test } from 'vitest'
import { countTextsInProcess, type EncodingName } from '@tollgate/relay'
import { CountThread } from './count-thread.ts'

const TEXTS = ['The quick brown fox', '', '今天天气怎么样？', 'a'.repeat(2000)]
const by = (owner: number, bytes = 0) => ({ owner, bytes })

test.each(['o200k_base', 'cl100k_base'] as const)(
  'counts by %s as this thread does',
  async (name) => {
    const counts = await new CountThread().count(by(1), name, TEXTS)
    expect(counts).toEqual(await countTextsInProcess(name, TEXTS))
  },
)

test('counts empty texts without a thread', async () => {
  expect(await new CountThread().count(by(1), 'o200k_base', ['', ''])).toEqual([0, 0])
})

test('keeps the event loop free while an encoding is loaded', async () => {
  const thread = new CountThread()
  let turns = 0
  const timer = setInterval(() => (turns += 1), 1)
  await thread.count(by(1), 'p50k_base', ['x'.repeat(10_000)])
  clearInterval(timer)
  expect(turns).toBeGreaterThan(3)
})

test('a short text of one caller does not wait for long texts of others', async () => {
  const thread = new CountThread()
  await thread.count(by(0), 'o200k_base', ['loads the encoding'])
  const order: string[] = []
  const count = (owner: number, text: string, name: string) =>
    thread.count(by(owner), 'o200k_base', [text]).then(() => order.push(name))
  const long = String.fromCodePoint(
    ...Array.from({ length: 30_000 }, (_, at) => 0x4e00 + ((at * 7919) % 20_000)),
  )
  await Promise.all([
    ...[1, 2, 3, 1, 1].map((owner) => count(owner, long, 'long')),
    count(4, 'short', 'short'),
  ])
  expect(order[0]).toBe('short')
})

test('reports how much of a caller is waiting, until it is counted', async () => {
  const thread = new CountThread()
  const counts = [1, 1, 2].map((owner) => thread.count(by(owner, 500), 'o200k_base', ['text']))
  expect(thread.waiting(1)).toEqual({ count: 2, bytes: 1000 })
  expect(thread.waiting(2)).toEqual({ count: 1, bytes: 500 })
  await Promise.all(counts)
  expect(thread.waiting(1)).toEqual({ count: 0, bytes: 0 })
})

test('rejects texts it cannot count, and continues counting', async () => {
  const thread = new CountThread()
  // Safe because only the thread reads the name, which no list has.
  const unknown = 'no-encoding' as EncodingName
  await expect(thread.count(by(1), unknown, ['x'])).rejects.toThrow(Error)
  expect(await thread.count(by(1), 'o200k_base', ['hello'])).toEqual([1])
})
