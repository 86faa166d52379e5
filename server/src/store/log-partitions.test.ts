import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openTestDatabase } from '../../testing/harness/databases.ts'
import { openPerTest } from '../../testing/harness/open-once.ts'
import { statementsDuring } from '../../testing/harness/statements.ts'
import { logRow } from '../../testing/worlds/log-row.ts'
import { nextPeriodStart } from '../domain/budget-period.ts'
import { type Database, openDatabase } from './database.ts'
import { deleteLogsBefore } from './delete-logs.ts'
import { addLogMonths } from './log-partitions.ts'

/** The next three months, which have no partition after the migration. */
const FIRST = nextPeriodStart('month', Math.floor(Date.now() / 1000))
const SECOND = nextPeriodStart('month', FIRST)
const THIRD = nextPeriodStart('month', SECOND)
const END = nextPeriodStart('month', THIRD)

const nameOf = (month: number) => {
  const date = new Date(month * 1000)
  return `logs_${date.getUTCFullYear()}_${String(date.getUTCMonth() + 1).padStart(2, '0')}`
}

describe('the log on postgres', () => {
  let database: Database
  let other: Database

  const place = openPerTest(() => openTestDatabase('postgres'))
  beforeEach(async () => {
    database = await openDatabase(place)
    other = await openDatabase(place)
  })
  afterEach(async () => {
    await Promise.all([database.close(), other.close()])
  })

  const add = (...times: number[]) =>
    database.kysely
      .insertInto('logs')
      .values(times.map((at) => logRow(`r${at}`, at)))
      .execute()

  /** One row more than MOVED_ROWS_MAX. */
  const addMany = (at: number) =>
    sql`insert into logs (user_id, created_at, request_id)
      select 1, ${at}, 'many' || n from generate_series(0, 10000) as n`.execute(database.kysely)

  const times = async () => {
    const rows = await database.kysely
      .selectFrom('logs')
      .select('created_at')
      .orderBy('id')
      .execute()
    return rows.map(({ created_at }) => created_at)
  }

  /** The partitions of the log, with the times of their rows. */
  async function parts() {
    const { rows } = await sql<{ part: string; times: number[] | null }>`
      select relname as part, (
        select json_agg(created_at order by logs.id) from logs where tableoid = pg_class.oid
      ) as times
      from pg_class where relkind = 'r' and relname like 'logs\\_%' order by relname`.execute(
      database.kysely,
    )
    return Object.fromEntries(rows.map(({ part, times }) => [part, times ?? []]))
  }

  test('has a partition for this and the next two months, also with concurrent calls', async () => {
    const makers = [database, other, database, other]
    await Promise.all(makers.map((maker) => addLogMonths(maker, FIRST - 1)))
    await addLogMonths(database, FIRST)
    await add(5, FIRST - 1, FIRST, SECOND - 1, SECOND, THIRD, END)
    expect(await parts()).toEqual({
      logs_default: [END],
      logs_first: [5, FIRST - 1],
      [nameOf(FIRST)]: [FIRST, SECOND - 1],
      [nameOf(SECOND)]: [SECOND],
      [nameOf(THIRD)]: [THIRD],
    })
    await expect(add(SECOND)).rejects.toThrow(/unique/i)
  })

  test('moves earlier rows into a new month, or leaves them if there are too many', async () => {
    await add(SECOND, FIRST, THIRD)
    await addMany(SECOND + 1)
    expect(await addLogMonths(database, FIRST)).toBe(SECOND)
    expect(await addLogMonths(database, FIRST, new Set([SECOND]))).toBeNull()
    await add(SECOND + 2)
    const { logs_default, ...others } = await parts()
    expect(others).toEqual({ logs_first: [], [nameOf(FIRST)]: [FIRST], [nameOf(THIRD)]: [THIRD] })
    expect(logs_default).toHaveLength(10_003)
  })

  test('does not block for long while a month is created; that is given up and reported', async () => {
    await addLogMonths(database, FIRST - 1)
    const { kysely } = database
    await sql`create function be_slow() returns event_trigger language plpgsql as
      'begin perform pg_sleep(60); end'`.execute(kysely)
    await sql`create event trigger slow on ddl_command_start when tag in ('CREATE TABLE')
      execute function be_slow()`.execute(kysely)
    expect(await addLogMonths(database, FIRST)).toBe(THIRD)
    await sql`drop event trigger slow`.execute(kysely)
    expect(await addLogMonths(database, FIRST)).toBeNull()
    expect(await parts()).toHaveProperty(nameOf(THIRD))
  })

  test('drops past months as a whole, and deletes rows of others before the moment', async () => {
    await addLogMonths(database, FIRST)
    await add(5, FIRST, SECOND - 1, SECOND, SECOND + 1, THIRD)
    expect(await deleteLogsBefore(database, SECOND + 1)).toBe(4)
    const left = { logs_default: [], [nameOf(SECOND)]: [SECOND + 1], [nameOf(THIRD)]: [THIRD] }
    expect(await parts()).toEqual(left)
    await add(FIRST)
    expect(await parts()).toEqual({ ...left, logs_default: [FIRST] })
    expect(await deleteLogsBefore(database, SECOND + 1)).toBe(1)
  })

  test('is deleted by two concurrent calls, of which neither fails or ends early', async () => {
    await addLogMonths(database, FIRST)
    const many = Array.from({ length: 3000 }, (_, index) => THIRD + index)
    for (let from = 0; from < many.length; from += 500) await add(...many.slice(from, from + 500))
    await add(FIRST, FIRST + 1, SECOND, THIRD + 5000)
    const counts = await Promise.all(
      [database, other].map(async (one) => {
        const count = await deleteLogsBefore(one, THIRD + 3000)
        expect(await times()).toEqual([THIRD + 5000])
        return count
      }),
    )
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(3003)
  })

  test('is checked once for its months', async () => {
    await addLogMonths(database, FIRST)
    expect(await statementsDuring(() => addLogMonths(database, FIRST))).toHaveLength(1)
  })

  test('blocks no one behind a long read: months are created later, and rows deleted one by one', async () => {
    await addLogMonths(database, FIRST)
    await add(5, FIRST, THIRD)
    await other.snapshot(async (tx) => {
      await tx.selectFrom('logs').select('id').execute()
      await addLogMonths(database, SECOND)
      expect(await deleteLogsBefore(database, SECOND)).toBe(2)
    })
    expect(await times()).toEqual([THIRD])
    expect(await parts()).toMatchObject({ [nameOf(FIRST)]: [] })
    expect(await parts()).not.toHaveProperty(nameOf(END))
    await addLogMonths(database, SECOND)
    expect(await parts()).toHaveProperty(nameOf(END))
  })

  test('also drops a partition that a crashed process detached, unless told to stop', async () => {
    await addLogMonths(database, FIRST)
    await addMany(FIRST)
    const name = sql.table(nameOf(FIRST))
    await sql`alter table logs detach partition ${name}`.execute(database.kysely)
    await sql`alter table ${name} rename to ${sql.ref(`${nameOf(FIRST)}_detached`)}`.execute(
      database.kysely,
    )
    const before = await parts()
    expect(await deleteLogsBefore(database, SECOND, AbortSignal.abort())).toBe(0)
    expect(await parts()).toEqual(before)
    const counts = await Promise.all([database, other].map((one) => deleteLogsBefore(one, 6)))
    expect(counts.toSorted((a, b) => a - b)).toEqual([0, 10_001])
    expect(Object.keys(await parts())).toEqual([
      nameOf(SECOND),
      nameOf(THIRD),
      'logs_default',
      'logs_first',
    ])
  })
})
