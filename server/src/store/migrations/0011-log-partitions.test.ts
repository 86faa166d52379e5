import { type Kysely, sql } from 'kysely'
import { expect, test } from 'vitest'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { openUpgraded } from '../../../testing/harness/former-database.ts'
import { logRow } from '../../../testing/worlds/log-row.ts'
import { periodStart } from '../../domain/budget-period.ts'
import type { Schema } from '../schema.ts'

const NOW = Math.floor(Date.now() / 1000)
const YEAR = 366 * 86_400

test.each(DATABASES)('on %s log rows stay, and the next row has the next id', async (kind) => {
  const times = [5, NOW - YEAR, NOW, NOW + YEAR]
  let rows: object[] = []
  const { kysely } = await openUpgraded(kind, '0010-shared-counts', async (before) => {
    await before
      .insertInto('logs')
      .values(times.map((at) => logRow(`r${at}`, at)))
      .execute()
    await before.insertInto('logs').values(logRow(null, NOW)).execute()
    rows = await before.selectFrom('logs').selectAll().orderBy('id').execute()
  })

  expect(await kysely.selectFrom('logs').selectAll().orderBy('id').execute()).toEqual(
    rows.map((row) => ({ ...row, provider_cost: null, endpoint: '', group: '' })),
  )
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
})

/** Existing rows are in the partition of the past, except those from a clock that was ahead. */
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
