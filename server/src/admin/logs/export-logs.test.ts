import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { DATABASES, openKeptDatabase } from '../../../testing/harness/databases.ts'
import { openOnce } from '../../../testing/harness/open-once.ts'
import { EMPTY_LOG_ROW } from '../../../testing/worlds/log-row.ts'
import { type Database, openDatabase } from '../../store/database.ts'
import { createLogExports, type LogExport } from './export-logs.ts'

/** More than a page of ids. */
const ROWS = 5432
const LARGE_ROWS = 200_000

const TIMES = { start_timestamp: 0, end_timestamp: 0 }
const FILTER = { type: 0, token_name: '', model_name: '', ...TIMES }

type Reading = LogExport<{ id: number; quota: number }>

const reading = (part: Partial<Reading> = {}): Reading => ({
  readerId: 1,
  filter: FILTER,
  order: { order: 'desc' },
  present: ({ id, quota }) => ({ id, quota }),
  ...part,
})

/** Copies the last row with other costs until there are so many. */
async function grow({ kysely }: Database, count: number) {
  const columns = sql.raw(
    'user_id, username, type, content, created_at, token_id, token_name, model_name, ' +
      'upstream_model, uncollected, prompt_tokens, completion_tokens, channel, elapsed_time, ' +
      'first_token_time, is_stream, outcome, end_reason, attempts, basis',
  )
  await sql`insert into logs (${columns}, quota)
    with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})
    select ${columns}, n % 7 from logs, numbers where id = (select max(id) from logs)`.execute(
    kysely,
  )
}

/** A log of so many rows. */
async function openLog(kind: (typeof DATABASES)[number], count: number) {
  const files = await openKeptDatabase(kind)
  const database = await openDatabase(files)
  await database.kysely.insertInto('logs').values(EMPTY_LOG_ROW).execute()
  await grow(database, count - 1)
  return {
    database,
    close: async () => {
      await database.close()
      await files.close()
    },
  }
}

describe.each(DATABASES)('exports of the log on %s', (kind) => {
  const log = openOnce(() => openLog(kind, ROWS))

  async function idsOf(part: Partial<Reading>) {
    const ids: number[] = []
    for await (const rows of createLogExports(log)(reading(part))) {
      ids.push(...rows.map(({ id }) => id))
    }
    return ids
  }

  test.each([
    { sort: 'id', order: 'desc' },
    { sort: 'id', order: 'asc' },
    { sort: 'quota', order: 'desc' },
    { sort: 'quota', order: 'asc' },
  ] as const)('an export has every row once, in the order $sort $order', async (order) => {
    const expected = await log.database.kysely
      .selectFrom('logs')
      .select('id')
      .orderBy(sql.ref(order.sort), order.order)
      .orderBy('id', order.order)
      .execute()
    expect(expected).toHaveLength(ROWS)
    expect(await idsOf({ order })).toEqual(expected.map(({ id }) => id))
  })

  test('a reader runs two exports at a time, customers six, and a process eight', async () => {
    const start = createLogExports(log)
    const begin = (readerId: number, filter = {}) =>
      start(reading({ readerId, filter: { ...FILTER, ...filter } }))[Symbol.asyncIterator]()
    const beginOwn = (readerId: number) => begin(readerId, { userId: readerId })
    const tooMany = expect.objectContaining({ code: 'too_many_requests' })
    const first = [beginOwn(1), beginOwn(1)]
    expect(() => beginOwn(1)).toThrow(tooMany)
    first.push(...[2, 2, 3, 3].map(beginOwn))
    expect(() => beginOwn(4)).toThrow(tooMany)
    first.push(begin(5), begin(5))
    expect(() => begin(6)).toThrow(tooMany)
    for (const rows of first) {
      await rows.next()
      await rows.return?.()
    }
    await begin(6).return?.()
  })

  test('an export that is not read makes room, and fails when it is read on', async () => {
    const start = createLogExports({ ...log, idleMs: 20 })
    const rows = start(reading())[Symbol.asyncIterator]()
    await rows.next()
    for (let more = 0; more < 7; more += 1) start(reading({ readerId: 10 + more }))
    await sleep(100)
    for (let more = 0; more < 8; more += 1) start(reading({ readerId: 10 + more }))
    await expect(rows.next()).rejects.toThrow('not read in time')
  })
})

test('the memory of an export does not grow with its rows', async () => {
  const { database, close } = await openLog('sqlite', LARGE_ROWS)
  let count = 0
  const used: number[] = []
  for await (const rows of createLogExports({ database })(reading())) {
    count += rows.length
    if (count % 20_000 === 0) used.push(process.memoryUsage().heapUsed)
  }
  await close()
  expect(count).toBe(LARGE_ROWS)
  // Garbage comes and goes; 200 000 rows would take more than 100 MB.
  expect(Math.min(...used.slice(-5)) - Math.min(...used.slice(0, 5))).toBeLessThan(30_000_000)
})
