import { Kysely, PostgresDialect, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import pg from 'pg'
import { expect, test } from 'vitest'
import { DATABASES, openEmptyDatabase } from '../../../testing/databases.ts'
import { logRow } from '../../../testing/log-row.ts'
import { periodStart } from '../../domain/budget-period.ts'
import { openDatabase, SQLITE_FILE } from '../database.ts'
import type { Schema } from '../schema.ts'
import { sqliteDialect } from '../sqlite-dialect.ts'
import { initial } from './0001-initial.ts'
import { controlPlane } from './0002-control-plane.ts'
import { heldOfLogs } from './0003-held-of-logs.ts'
import { channelStatusTime } from './0004-channel-status-time.ts'
import { usageHours } from './0005-usage-hours.ts'
import { leases } from './0006-leases.ts'
import { languagesOfLogs } from './0007-languages-of-logs.ts'
import { testError } from './0008-test-error.ts'
import { lostAttempts } from './0009-lost-attempts.ts'
import { sharedCounts } from './0010-shared-counts.ts'

const NOW = Math.floor(Date.now() / 1000)
const YEAR = 366 * 86_400

test.each(DATABASES)(
  'on %s the rows of the log stay, and the next has the next id',
  async (kind) => {
    const place = await openEmptyDatabase(kind)
    const before = new Kysely<Schema>({
      dialect:
        place.databaseUrl === undefined
          ? sqliteDialect(`${place.dataDir}/${SQLITE_FILE}`)
          : new PostgresDialect({ pool: new pg.Pool({ connectionString: place.databaseUrl }) }),
    })
    const migrations: Record<string, Migration> = {
      '0001-initial': initial(kind),
      '0002-control-plane': controlPlane(kind),
      '0003-held-of-logs': heldOfLogs,
      '0004-channel-status-time': channelStatusTime,
      '0005-usage-hours': usageHours(kind),
      '0006-leases': leases(kind),
      '0007-languages-of-logs': languagesOfLogs(kind),
      '0008-test-error': testError,
      '0009-lost-attempts': lostAttempts,
      '0010-shared-counts': sharedCounts,
    }
    const migrator = new Migrator({
      db: before,
      provider: { getMigrations: async () => migrations },
    })
    expect((await migrator.migrateToLatest()).error).toBeUndefined()
    const times = [5, NOW - YEAR, NOW, NOW + YEAR]
    await before
      .insertInto('logs')
      .values(times.map((at) => logRow(`r${at}`, at)))
      .execute()
    await before.insertInto('logs').values(logRow(null, NOW)).execute()
    const rows = await before.selectFrom('logs').selectAll().orderBy('id').execute()
    await before.destroy()

    const database = await openDatabase(place)
    const { kysely } = database
    expect(await kysely.selectFrom('logs').selectAll().orderBy('id').execute()).toEqual(rows)
    for (const at of times) {
      const twice = kysely
        .insertInto('logs')
        .values(logRow(`r${at}`, at))
        .execute()
      await expect(twice).rejects.toThrow(/unique/i)
    }
    await kysely
      .insertInto('logs')
      .values([logRow('next', NOW + YEAR), logRow(null, NOW)])
      .execute()
    const last = await kysely.selectFrom('logs').select('id').orderBy('id', 'desc').execute()
    const ids = last.map(({ id }) => id)
    expect(ids).toEqual(ids.toSorted((a, b) => b - a))
    expect(new Set(ids).size).toBe(7)
    if (kind === 'postgres') await expectPartitions(kysely)
    await database.close()
    await place.close()
  },
)

/** The rows are in the part of the past; those of a clock that was ahead are not. */
async function expectPartitions(kysely: Kysely<Schema>) {
  const { rows } = await sql`select tableoid::regclass::text as part, count(*) as count
    from logs group by 1 order by 1`.execute(kysely)
  expect(rows).toEqual([
    { part: 'logs_default', count: 2 },
    { part: 'logs_first', count: 5 },
  ])
  const indexes = await sql<{ parts: number }>`select count(*) as parts from pg_indexes
    where tablename in ('logs_first', 'logs_default') group by tablename`.execute(kysely)
  const { rows: whole } = await sql<{ count: number }>`
    select count(*) as count from pg_indexes where tablename = 'logs'`.execute(kysely)
  const oneMore = (whole[0]?.count ?? 0) + 1
  expect(indexes.rows).toEqual([{ parts: oneMore }, { parts: oneMore }])
  const { rows: bounds } = await sql<{ bounds: string }>`
    select pg_get_expr(relpartbound, oid) as bounds from pg_class where relname = 'logs_first'`.execute(
    kysely,
  )
  expect(bounds[0]?.bounds).toMatch(/^FOR VALUES FROM \(MINVALUE\) TO \('\d+'\)$/)
  const end = Number(/'(\d+)'/.exec(bounds[0]?.bounds ?? '')?.[1])
  expect(periodStart('month', end)).toBe(end)
  expect(periodStart('month', end - 1)).toBe(periodStart('month', NOW))
}
