import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openClockedDatabase } from '../../../testing/fakes/clocked-database.ts'
import { DATABASES, openKeptDatabase } from '../../../testing/harness/databases.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { createLog } from '../../process/log.ts'
import type { Database } from '../../store/database.ts'
import { type BulkRun, createBulkRun } from './bulk-run.ts'

const ids = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
const list = async () => ids(10)
const succeed = async () => true

describe.each(DATABASES)('a run over many channels on %s', (kind) => {
  const clock = { now: 5_000_000 }
  let files: Awaited<ReturnType<typeof openKeptDatabase>>
  /** One database connection per simulated process. */
  let databases: [Database, Database]
  let setClock: (seconds: number) => Promise<void>

  beforeEach(async () => {
    clock.now = 5_000_000
    files = await openKeptDatabase(kind)
    const first = await openClockedDatabase(files, 5000)
    const second = await openClockedDatabase(files, 5000)
    databases = [first.database, second.database]
    ;({ setClock } = first)
  })
  afterEach(async () => {
    for (const database of databases) await database.close()
    await files.close()
  })

  const wait = async (seconds: number) => {
    clock.now += seconds * 1000
    await setClock(clock.now / 1000)
  }

  const openRun = (
    process: 0 | 1 = 0,
    { log = pino({ level: 'silent' }), secondsAhead = 0 } = {},
  ) => {
    const now = () => clock.now + secondsAhead * 1000
    return createBulkRun({ database: databases[process], now, log }, 'tests')
  }

  const end = (run: BulkRun) => waitUntil(async () => !(await run.progress()).running)

  test('handles each once, at most four at a time, and counts failures', async () => {
    const run = openRun()
    const seen: number[] = []
    let atOnce = 0
    let most = 0
    await run.start({
      list,
      each: async (id) => {
        seen.push(id)
        most = Math.max(most, ++atOnce)
        await new Promise(setImmediate)
        atOnce -= 1
        return id % 5 !== 0
      },
    })
    await end(run)
    expect(seen.toSorted((a, b) => a - b)).toEqual(ids(10))
    expect(most).toBe(4)
    const times = { started_at: 5000, ended_at: 5000 }
    const expected = { running: false, total: 10, done: 10, failed: 2, ...times }
    expect(await run.progress()).toEqual(expected)
    expect(await openRun(1).progress()).toEqual(expected)
  })

  test('is unique across all processes, each of which reports its progress', async () => {
    const runs = [openRun(0), openRun(1), openRun(0), openRun(1)]
    const { promise: worked, resolve: finishWork } = Promise.withResolvers<boolean>()
    const each = (id: number) => (id === 1 ? Promise.resolve(true) : worked)
    const begun = await Promise.allSettled(
      runs.map((run) => run.start({ list: async () => [1, 2, 3], each })),
    )
    expect(begun.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const run of runs) {
      await waitUntil(async () => (await run.progress()).done === 1)
      expect(await run.progress()).toMatchObject({ running: true, total: 3, ended_at: 0 })
      await expect(run.start({ list, each: succeed })).rejects.toMatchObject({
        code: 'bulk_run_active',
        params: { done: 1, total: 3 },
      })
    }
    const others = createBulkRun(
      { database: databases[1], now: () => clock.now, log: pino({ level: 'silent' }) },
      'balances',
    )
    await others.start({ list, each: succeed })
    await end(others)
    finishWork(true)
    for (const run of runs) await end(run)
    await runs[1]?.start({ list, each: succeed })
    await end(openRun(0))
  })

  test('ends when its process is silent for a minute; that process then stops', async () => {
    const [dead, next] = [openRun(0), openRun(1)]
    const { promise: worked, resolve: finishWork } = Promise.withResolvers<boolean>()
    const seen: number[] = []
    let told = false
    await dead.start({
      list,
      each: (id) => {
        seen.push(id)
        return worked
      },
      finish: async () => void (told = true),
    })
    await wait(60)
    expect(await next.progress()).toMatchObject({ running: true })
    await expect(next.start({ list, each: succeed })).rejects.toThrow('bulk_run_active')
    await wait(1)
    expect(await next.progress()).toMatchObject({ running: false, done: 0, ended_at: 5000 })
    await next.start({ list: async () => ids(3), each: succeed })
    await end(next)
    finishWork(true)
    await dead.close()
    expect([seen.length, told]).toEqual([4, false])
    expect(await dead.progress()).toMatchObject({ total: 3, done: 3, started_at: 5061 })
  })

  if (kind === 'postgres') {
    test.each([3600, -3600])(
      "is alive or over by the database's clock, which is %d s ahead",
      async (secondsAhead) => {
        const [dead, next] = [openRun(0), openRun(1, { secondsAhead })]
        const { promise: worked, resolve: finishWork } = Promise.withResolvers<boolean>()
        await dead.start({ list, each: () => worked })
        expect(await next.progress()).toMatchObject({ running: true, started_at: 5000 })
        await expect(next.start({ list, each: succeed })).rejects.toThrow('bulk_run_active')
        await wait(61)
        await next.start({ list, each: succeed })
        await end(next)
        expect(await dead.progress()).toMatchObject({ started_at: 5061, ended_at: 5061 })
        finishWork(true)
        await dead.close()
      },
    )
  }

  test('no error keeps it running: neither of the list, nor of a step, nor of the end', async () => {
    const run = openRun()
    const away = async () => {
      throw new Error('the database is away')
    }
    await expect(run.start({ list: away, each: away })).rejects.toThrow('away')
    expect(await run.progress()).toMatchObject({ running: false, total: 0, started_at: 0 })
    const fail = () => {
      throw new Error('a bug')
    }
    for (const broken of [away, fail]) {
      await run.start({ list, each: broken, finish: broken })
      await end(run)
      expect(await run.progress()).toMatchObject({ done: 10, failed: 10 })
    }
    await run.start({ list, each: succeed })
    await end(run)
    expect(await run.progress()).toMatchObject({ done: 10, failed: 0 })
  })

  test('an unreachable database is reported once, other failures each time', async () => {
    const lines: string[] = []
    const run = openRun(0, { log: createLog('info', { write: (line) => void lines.push(line) }) })
    const fail = async (error: Error) => {
      await run.start({ list, each: () => Promise.reject(error) })
      await end(run)
      return lines.splice(0).length
    }
    const away = Object.assign(new Error('no route'), { code: 'ECONNREFUSED' })
    expect([await fail(away), await fail(new Error('a bug')), await fail(away)]).toEqual([1, 10, 1])
  })

  test('closing aborts running steps, starts no more and reports no end', async () => {
    const run = openRun()
    let begun = 0
    let told = false
    await run.start({
      list,
      each: (_, signal) =>
        new Promise((resolve) => {
          begun += 1
          signal.addEventListener('abort', () => resolve(false))
        }),
      finish: async () => void (told = true),
    })
    await run.close()
    expect([begun, told, (await run.progress()).running]).toEqual([4, false, false])
  })
})
