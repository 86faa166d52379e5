import { type Kysely, sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestDatabase } from '../../../testing/harness/databases.ts'
import { openPerTest } from '../../../testing/harness/open-once.ts'
import { openDatabase } from '../database.ts'
import type { Schema } from '../schema.ts'

const place = openPerTest(() => openTestDatabase('postgres'))

/** The page of each key. */
async function pagesOf(kysely: Kysely<Schema>): Promise<number[]> {
  const { rows } = await sql<{ page: number }>`
    select cast((ctid::text::point)[0] as bigint) as page from tokens order by id`.execute(kysely)
  return rows.map(({ page }) => page)
}

test('a new balance is written to the page of the old one', async () => {
  const database = await openDatabase(place)
  const { kysely } = database
  await sql`insert into tokens (user_id, key_sealed, name, models, subnet, status, created_time,
      accessed_time, expired_time, unlimited_quota)
    select 1, repeat('x', 100), '', '', '', 1, 0, 0, -1, 0 from generate_series(1, 500)`.execute(
    kysely,
  )
  const before = await pagesOf(kysely)
  await sql`update tokens set remain_quota = 5`.execute(kysely)
  expect(await pagesOf(kysely)).toEqual(before)
  expect(new Set(before).size).toBeGreaterThan(5)
  await database.close()
})
