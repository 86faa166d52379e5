import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Kysely, sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTestDatabase } from '../../testing/databases.ts'
import { sqliteDialect } from './sqlite-dialect.ts'

let files: Awaited<ReturnType<typeof openTestDatabase>>
let kysely: Kysely<unknown>

beforeEach(async () => {
  files = await openTestDatabase('sqlite')
  kysely = new Kysely({ dialect: sqliteDialect(join(files.dataDir, 'test.db')) })
})
afterEach(async () => {
  await kysely.destroy()
  await files.close()
})

/** Counts up, which takes the longer the higher. */
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

test('what is read for long holds up no other read', async () => {
  await Promise.all([countTo(1), countTo(1)])
  let isLongOver = false
  const long = countTo(4_000_000).then(() => {
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
