import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openTestDatabase } from '../../testing/harness/databases.ts'
import { openPerTest } from '../../testing/harness/open-once.ts'
import { logRow } from '../../testing/worlds/log-row.ts'
import { type Database, openDatabase } from './database.ts'
import {
  adoptImportedLogs,
  lockImportedLogs,
  moveImportedLogs,
  prepareImportedLogs,
} from './imported-logs.ts'
import { dropLogMonths } from './log-partitions.ts'

const BEGAN = 1_764_547_200

describe('rows of an import, until they are indexed', () => {
  let database: Database

  const place = openPerTest(() => openTestDatabase('postgres'))
  beforeEach(async () => {
    database = await openDatabase(place)
    await add('logs', 'here before')
  })
  afterEach(() => database.close())

  const add = (table: string, request: string) =>
    sql`insert into ${sql.table(table)} (user_id, created_at, request_id)
      values (1, ${BEGAN}, ${request})`.execute(database.kysely)
  const requests = async () => {
    const rows = await database.kysely
      .selectFrom('logs')
      .select('request_id')
      .orderBy('id')
      .execute()
    return rows.map(({ request_id }) => request_id)
  }
  /** What indexes the first partition has, and which index of the log each is a part of. */
  const indexes = async () => {
    const { rows } = await sql<{ definition: string; of: string | null }>`
      select regexp_replace(pg_get_indexdef(indexrelid), '^.* USING', '') as definition,
        (select inhparent::regclass::text from pg_inherits where inhrelid = indexrelid) as of
      from pg_index where indrelid = 'logs_first'::regclass order by 1, 2`.execute(database.kysely)
    return rows
  }
  const begin = async (request = 'imported') => {
    await prepareImportedLogs(database)
    await add('logs_imported', request)
  }
  const isStaged = async () => (await database.transaction(lockImportedLogs)) > 0

  test('become a partition with the same indexes, which keeps the rows that were here', async () => {
    const before = await indexes()
    await begin()
    expect(await requests()).toEqual(['here before'])
    await adoptImportedLogs(database)
    expect(await requests()).toEqual(['here before', 'imported'])
    expect(await indexes()).toEqual(before)
    expect(before.filter(({ of }) => of !== null).length).toBeGreaterThan(10)
    expect(await isStaged()).toBe(false)
    await database.kysely.insertInto('logs').values(logRow('later', BEGAN)).execute()
    await expect(add('logs', 'later')).rejects.toThrow('duplicate key')
    expect(await requests()).toEqual(['here before', 'imported', 'later'])
  })

  test('are adopted again after a second import', async () => {
    await begin()
    await adoptImportedLogs(database)
    const before = await indexes()
    await begin('imported later')
    await adoptImportedLogs(database)
    expect(await indexes()).toEqual(before)
    expect(await requests()).toEqual(['here before', 'imported', 'imported later'])
  })

  test('are left alone while an import writes', async () => {
    await begin()
    await database.transaction(async (tx) => {
      expect(await lockImportedLogs(tx)).toBeGreaterThan(BEGAN)
      await adoptImportedLogs(database)
      await moveImportedLogs(database)
    })
    expect(await requests()).toEqual(['here before'])
    await adoptImportedLogs(database)
    expect(await requests()).toEqual(['here before', 'imported'])
  })

  /** Expects that the rows reached the log, one by one, and the table is gone. */
  const expectMoved = async () => {
    expect(await requests()).toEqual(['here before', 'imported'])
    expect(await isStaged()).toBe(false)
  }

  test('move during a long read of the log', async () => {
    await begin()
    await database.snapshot(async (tx) => {
      await tx.selectFrom('logs').select('id').execute()
      await adoptImportedLogs(database)
      await expectMoved()
    })
  })

  test('move if they cannot be indexed, and no partition lacks its indexes', async () => {
    await begin()
    const before = await indexes()
    await database.kysely.connection().execute(async (reader) => {
      await sql`begin`.execute(reader)
      await sql`lock table logs_imported in share mode`.execute(reader)
      const adopting = adoptImportedLogs(database)
      // Indexing gives up after half a second.
      await setTimeout(700)
      await sql`rollback`.execute(reader)
      await adopting
    })
    await expectMoved()
    expect(await indexes()).toEqual(before)
  })

  test('move if the log has other columns by now', async () => {
    await begin()
    await sql`alter table logs add column added bigint not null default 7`.execute(database.kysely)
    await adoptImportedLogs(database)
    await expectMoved()
  })

  test('move if rows have filled the first partition meanwhile', async () => {
    await begin()
    await sql`insert into logs (user_id, created_at, request_id)
      select 1, ${BEGAN}, 'live ' || n from generate_series(1, 10000) as n`.execute(database.kysely)
    await adoptImportedLogs(database)
    const found = await requests()
    expect(found).toHaveLength(10_002)
    expect(found).toContain('imported')
    expect(await isStaged()).toBe(false)
  })

  test('move if the first partition has been dropped', async () => {
    await begin()
    await dropLogMonths(database, 2 * BEGAN)
    await adoptImportedLogs(database)
    expect(await requests()).toEqual(['imported'])
    expect(await isStaged()).toBe(false)
  })

  test('move some at a time, until the server stops', async () => {
    await prepareImportedLogs(database)
    await sql`insert into logs_imported (user_id, created_at, request_id)
      select 1, ${BEGAN}, 'imported ' || n from generate_series(1, 7000) as n`.execute(
      database.kysely,
    )
    await moveImportedLogs(database, AbortSignal.abort())
    expect(await requests()).toHaveLength(1)
    await moveImportedLogs(database)
    expect(await requests()).toHaveLength(7001)
    expect(await isStaged()).toBe(false)
  })

  test('go to the log itself if it has many rows', async () => {
    await sql`insert into logs (user_id, created_at)
      select 1, ${BEGAN} from generate_series(1, 10000)`.execute(database.kysely)
    await prepareImportedLogs(database)
    expect(await isStaged()).toBe(false)
  })
})
