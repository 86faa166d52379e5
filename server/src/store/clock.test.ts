import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestDatabase } from '../../testing/harness/databases.ts'
import { databaseMoment } from './clock.ts'
import { openDatabase } from './database.ts'

test('rows expired by the clock of PostgreSQL are found by an index', async () => {
  const place = await openTestDatabase('postgres')
  const database = await openDatabase(place)
  const moment = databaseMoment({ database, now: Date.now })
  const { rows } = await database.transaction(async (tx) => {
    // For an empty table the planner would prefer a sequential scan.
    await sql`set local enable_seqscan = off`.execute(tx)
    return sql`explain delete from attempts where expires_at <= ${moment}`.execute(tx)
  })
  await database.close()
  await place.close()
  expect(JSON.stringify(rows)).toContain('Index Cond')
})
