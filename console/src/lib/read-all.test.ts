import { afterEach, expect, test, vi } from 'vitest'
import { CallError } from './call.ts'
import { type ListPage, type Progress, readAllOf } from './read-all.ts'

afterEach(() => {
  vi.useRealTimers()
})

const busy = new CallError({
  kind: 'http',
  status: 429,
  message: 'Too Many Requests',
  retryAfterSeconds: 7,
})

type List = () => Promise<{ data: { id: number }[] }>

const idsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: first - index }))

function sourceOf(rows: readonly { id: number }[]) {
  const asked: ListPage[] = []
  const list = async (page: ListPage) => {
    asked.push(page)
    const { before, p, size } = page
    const from = before === undefined ? rows : rows.filter(({ id }) => id < before)
    return { data: from.slice(p * size, (p + 1) * size) }
  }
  return { asked, list }
}

const quiet = () => ({ signal: new AbortController().signal, onProgress: () => {} })

test('reads every row once, newest first by id, so that a row added meanwhile shifts nothing', async () => {
  const rows = idsFrom(250, 250)
  const { asked, list } = sourceOf(rows)
  const counts: number[] = []
  const read = readAllOf({ list, sort: null, order: 'desc' })
  const all = await read({ ...quiet(), onProgress: ({ count }) => counts.push(count) })
  expect(all).toEqual(rows)
  expect(asked.map(({ before }) => before)).toEqual([undefined, 151, 51])
  expect(counts).toEqual([100, 200, 250])
})

test('in any other order reads page by page and keeps no row twice', async () => {
  const rows = idsFrom(300, 150)
  const { asked, list } = sourceOf([...rows.slice(0, 100), ...rows.slice(99)])
  const all = await readAllOf({ list, sort: 'name', order: 'asc' })(quiet())
  expect(all).toEqual(rows)
  expect(asked.map(({ p, before }) => [p, before])).toEqual([
    [0, undefined],
    [1, undefined],
  ])
})

test('stops at 10 000 rows', async () => {
  const { asked, list } = sourceOf(idsFrom(10_300, 10_300))
  const all = await readAllOf({ list, sort: 'id', order: 'desc' })(quiet())
  expect([all.length, asked.length]).toEqual([10_000, 100])
})

test('waits as long as a busy server asks, then continues', async () => {
  vi.useFakeTimers()
  const answers = [Promise.reject(busy), Promise.resolve({ data: [{ id: 1 }] })]
  const list = vi.fn<List>(() => answers.shift() ?? Promise.reject(new Error('asked too often')))
  const seen: Progress[] = []
  const reading = readAllOf({ list, sort: null, order: 'desc' })({
    signal: new AbortController().signal,
    onProgress: (progress) => seen.push(progress),
  })
  await vi.advanceTimersByTimeAsync(6999)
  expect(list).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(await reading).toEqual([{ id: 1 }])
  expect(seen.map(({ waitSeconds }) => waitSeconds)).toEqual([7, null])
})

test('gives up when the server stays busy', async () => {
  vi.useFakeTimers()
  const list = vi.fn<List>(() => Promise.reject(busy))
  const reading = readAllOf({ list, sort: null, order: 'desc' })(quiet())
  const [[end]] = await Promise.all([
    Promise.allSettled([reading]),
    vi.advanceTimersByTimeAsync(60_000),
  ])
  expect(end).toMatchObject({ reason: busy })
  expect(list).toHaveBeenCalledTimes(6)
})

test('a cancel ends the wait at once', async () => {
  vi.useFakeTimers()
  const controller = new AbortController()
  const reading = readAllOf({ list: () => Promise.reject(busy), sort: null, order: 'desc' })({
    signal: controller.signal,
    onProgress: () => controller.abort(),
  })
  await expect(reading).rejects.toThrow('aborted')
})

test('any other error ends the reading', async () => {
  const gone = new CallError({ kind: 'http', status: 500, message: '500' })
  const list = vi.fn<List>(() => Promise.reject(gone))
  await expect(readAllOf({ list, sort: null, order: 'desc' })(quiet())).rejects.toBe(gone)
  expect(list).toHaveBeenCalledTimes(1)
})
