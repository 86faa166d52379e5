import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import workerThreads, { Worker } from 'node:worker_threads'
import { Kysely, sql } from 'kysely'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openTestDatabase } from '../../testing/harness/databases.ts'
import { openPerTest } from '../../testing/harness/open-once.ts'
import { isDatabaseAway } from './failures.ts'
import { sqliteDialect } from './sqlite-dialect.ts'

let kysely: Kysely<unknown>

const files = openPerTest(() => openTestDatabase('sqlite'))
beforeEach(async () => {
  kysely = new Kysely({ dialect: sqliteDialect(join(files.dataDir, 'test.db')) })
})
afterEach(async () => {
  await kysely.destroy()
})

/** Counts up; a higher number takes longer. */
const countTo = (last: number) =>
  kysely
    .selectFrom(
      sql<{ n: number }>`(with recursive counted(n) as (
        select 1 union all select n + 1 from counted where n < ${last}) select n from counted)`.as(
        'all',
      ),
    )
    .select(({ fn }) => fn.max<number>('n').as('most'))
    .executeTakeFirstOrThrow()

test('a long read blocks no other read', async () => {
  await Promise.all([countTo(1), countTo(1)])
  let isLongOver = false
  const long = countTo(12_000_000).then(() => {
    isLongOver = true
  })
  await pause(20)
  for (let round = 0; round < 3; round += 1) {
    const short = await Promise.all([1, 2, 3, 4, 5, 6].map(countTo))
    expect(short.map(({ most }) => most)).toEqual([1, 2, 3, 4, 5, 6])
    expect(isLongOver).toBe(false)
  }
  await long
})

/** Ends the thread that receives the query of `run`, as when it runs out of memory. */
async function endThreadOf(run: () => Promise<unknown>) {
  const post = vi.spyOn(Worker.prototype, 'postMessage')
  await run()
  const [worker] = post.mock.contexts
  post.mockRestore()
  if (!(worker instanceof Worker)) throw new Error('no thread was asked')
  await worker.terminate()
}

const insert = (n: number) => sql`insert into numbers values (${n})`
const numbers = async () => {
  const rows = await kysely
    .selectFrom(sql<{ n: number }>`numbers`.as('numbers'))
    .select('n')
    .execute()
  return rows.map(({ n }) => n)
}

test('after the write thread has died, a new one continues, and the running transaction is undone', async () => {
  await sql`create table numbers (n integer)`.execute(kysely)
  const broken = kysely.transaction().execute(async (tx) => {
    await endThreadOf(() => insert(1).execute(tx))
    await insert(2).execute(tx)
  })
  const error = await broken.catch((reason: unknown) => reason)
  expect(isDatabaseAway(error)).toBe(true)

  await kysely.transaction().execute((tx) => insert(3).execute(tx))
  await insert(4).execute(kysely)
  expect(await numbers()).toEqual([3, 4])
})

test('reads that wait for a dying thread fail, and the next ones have another thread', async () => {
  let waiting: Promise<unknown> = Promise.resolve()
  await endThreadOf(async () => {
    waiting = countTo(1_000_000).catch((reason: unknown) => reason)
  })
  expect(isDatabaseAway(await waiting)).toBe(true)
  const next = await Promise.all([1, 2, 3, 4].map(countTo))
  expect(next.map(({ most }) => most)).toEqual([1, 2, 3, 4])
})

/** While `run` runs, no thread can be started, as at a limit of the system. */
async function withoutThreads(run: () => Promise<void>) {
  const spy = vi.spyOn(workerThreads, 'Worker').mockImplementation(function refuse() {
    throw new Error('no more threads')
  })
  syncBuiltinESMExports()
  try {
    await run()
  } finally {
    spy.mockRestore()
    syncBuiltinESMExports()
  }
}

test('while no thread can be started, calls fail, and block nothing after them', async () => {
  await countTo(1)
  await endThreadOf(() => sql`create table numbers (n integer)`.execute(kysely))
  const add = () => kysely.transaction().execute((tx) => insert(1).execute(tx))
  await withoutThreads(async () => {
    const error = await add().catch((reason: unknown) => reason)
    expect(isDatabaseAway(error)).toBe(true)
  })
  await add()
  expect(await numbers()).toEqual([1])
})

/** What a snapshot finds before and after a row is added outside of it. */
const readTwice = () =>
  kysely
    .transaction()
    .setAccessMode('read only')
    .execute(async (tx) => {
      const count = () =>
        tx
          .selectFrom(sql<{ n: number }>`numbers`.as('numbers'))
          .select(({ fn }) => fn.countAll<number>().as('rows'))
          .executeTakeFirstOrThrow()
      const before = await count()
      await insert(1).execute(kysely)
      return [before.rows, (await count()).rows]
    })

/** The threads that `run` starts and closes. */
async function threadsOf(run: () => Promise<unknown>) {
  const start = vi.spyOn(workerThreads, 'Worker')
  const post = vi.spyOn(Worker.prototype, 'postMessage')
  syncBuiltinESMExports()
  try {
    await run()
    const closed = post.mock.calls.filter(([message]) => message === 'close')
    return { started: start.mock.calls.length, closed: closed.length }
  } finally {
    start.mockRestore()
    post.mockRestore()
    syncBuiltinESMExports()
  }
}

test('snapshots take turns on one thread, and each sees the rows of its own moment', async () => {
  await sql`create table numbers (n integer)`.execute(kysely)
  const threads = await threadsOf(async () => {
    expect(await Promise.all([readTwice(), readTwice(), readTwice()])).toEqual([
      [0, 0],
      [1, 1],
      [2, 2],
    ])
  })
  expect(threads.started).toBe(1)
})

test('the second reader starts for reads behind a long one, and ends after a rest', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
  try {
    await countTo(1)
    const duringLong = async () => {
      const long = countTo(300_000)
      await Promise.all([countTo(1), countTo(2)])
      await long
    }
    expect(await threadsOf(duringLong)).toEqual({ started: 1, closed: 0 })
    expect(await threadsOf(duringLong)).toEqual({ started: 0, closed: 0 })
    const rest = async () => void vi.advanceTimersByTime(10_000)
    expect(await threadsOf(rest)).toEqual({ started: 0, closed: 1 })
    expect(await threadsOf(duringLong)).toEqual({ started: 1, closed: 0 })
  } finally {
    vi.useRealTimers()
  }
})

test('after the snapshot thread has died, the next snapshot has another one', async () => {
  await sql`create table numbers (n integer)`.execute(kysely)
  await endThreadOf(readTwice)
  expect(await readTwice()).toEqual([1, 1])
})

test('a call after the close of a database starts no thread', async () => {
  await sql`create table numbers (n integer)`.execute(kysely)
  const late = kysely.transaction().execute((tx) => insert(1).execute(tx))
  await Promise.all([kysely.destroy(), expect(late).rejects.toThrow('the SQLite thread has ended')])
})
