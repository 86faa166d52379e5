import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openTestDatabase } from '../../testing/harness/databases.ts'
import { openPerTest } from '../../testing/harness/open-once.ts'
import { logRow } from '../../testing/worlds/log-row.ts'
import { type Database, openDatabase } from './database.ts'
import { adoptImportedLogs, lockImportedLogs, prepareImportedLogs } from './imported-logs.ts'

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
    expect(await adoptImportedLogs(database)).toBe(true)
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
    expect(await adoptImportedLogs(database)).toBe(true)
    expect(await indexes()).toEqual(before)
    expect(await requests()).toEqual(['here before', 'imported', 'imported later'])
  })

  test('are left alone while an import writes, and during a long read of the log', async () => {
    await begin()
    await database.transaction(async (tx) => {
      expect(await lockImportedLogs(tx)).toBeGreaterThan(BEGAN)
      expect(await adoptImportedLogs(database)).toBe(false)
    })
    await database.snapshot(async (tx) => {
      await tx.selectFrom('logs').select('id').execute()
      expect(await adoptImportedLogs(database)).toBe(false)
    })
    expect(await requests()).toEqual(['here before'])
    expect(await adoptImportedLogs(database)).toBe(true)
    expect(await requests()).toEqual(['here before', 'imported'])
  })

  test('are copied if the log has got a column since', async () => {
    await begin()
    await sql`alter table logs add column added bigint not null default 7`.execute(database.kysely)
    expect(await adoptImportedLogs(database)).toBe(true)
    expect(await requests()).toEqual(['here before', 'imported'])
    expect(await isStaged()).toBe(false)
  })

  test('go to the log itself if it has many rows', async () => {
    await sql`insert into logs (user_id, created_at)
      select 1, ${BEGAN} from generate_series(1, 10000)`.execute(database.kysely)
    await prepareImportedLogs(database)
    expect(await isStaged()).toBe(false)
  })
})
