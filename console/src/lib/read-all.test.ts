import { afterEach, expect, test, vi } from 'vitest'
import { CallError } from './call.ts'
import { type ListPage, readAllOf, type ReadAll } from './read-all.ts'

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

/** Collects what a reading passes on. */
async function collect<Row>(read: ReadAll<Row>, part: Partial<Parameters<ReadAll<Row>>[0]> = {}) {
  const parts: (readonly Row[])[] = []
  const { isCut } = await read({
    signal: new AbortController().signal,
    onRows: (rows) => parts.push(rows),
    onWait: () => {},
    ...part,
  })
  return { rows: parts.flat(), counts: parts.map(({ length }) => length), isCut }
}

test('reads every row once, newest first by id, so that a row added meanwhile shifts nothing', async () => {
  const rows = idsFrom(250, 250)
  const { asked, list } = sourceOf(rows)
  const all = await collect(readAllOf({ list, sort: null, order: 'desc' }))
  expect(all).toEqual({ rows, counts: [100, 100, 50], isCut: false })
  expect(asked.map(({ before }) => before)).toEqual([undefined, 151, 51])
})

test('in any other order reads page by page and keeps no row twice', async () => {
  const rows = idsFrom(300, 150)
  const { asked, list } = sourceOf([...rows.slice(0, 100), ...rows.slice(99)])
  const all = await collect(readAllOf({ list, sort: 'name', order: 'asc' }))
  expect(all.rows).toEqual(rows)
  expect(asked.map(({ p, before }) => [p, before])).toEqual([
    [0, undefined],
    [1, undefined],
  ])
})

test('stops at 10 000 rows', async () => {
  const { asked, list } = sourceOf(idsFrom(10_300, 10_300))
  const all = await collect(readAllOf({ list, sort: 'id', order: 'desc' }))
  expect([all.rows.length, asked.length, all.isCut]).toEqual([10_000, 100, true])
})

test('waits as long as a busy server asks, then continues', async () => {
  vi.useFakeTimers()
  const answers = [Promise.reject(busy), Promise.resolve({ data: [{ id: 1 }] })]
  const list = vi.fn<List>(() => answers.shift() ?? Promise.reject(new Error('asked too often')))
  const waits: number[] = []
  const reading = collect(readAllOf({ list, sort: null, order: 'desc' }), {
    onWait: (seconds) => waits.push(seconds),
  })
  await vi.advanceTimersByTimeAsync(6999)
  expect(list).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(1)
  expect((await reading).rows).toEqual([{ id: 1 }])
  expect(waits).toEqual([7])
})

test('gives up when the server stays busy', async () => {
  vi.useFakeTimers()
  const list = vi.fn<List>(() => Promise.reject(busy))
  const reading = collect(readAllOf({ list, sort: null, order: 'desc' }))
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
  const list = () => Promise.reject(busy)
  const reading = collect(readAllOf({ list, sort: null, order: 'desc' }), {
    signal: controller.signal,
    onWait: () => controller.abort(),
  })
  await expect(reading).rejects.toThrow('aborted')
})

test('any other error ends the reading', async () => {
  const gone = new CallError({ kind: 'http', status: 500, message: '500' })
  const list = vi.fn<List>(() => Promise.reject(gone))
  await expect(collect(readAllOf({ list, sort: null, order: 'desc' }))).rejects.toBe(gone)
  expect(list).toHaveBeenCalledTimes(1)
})
