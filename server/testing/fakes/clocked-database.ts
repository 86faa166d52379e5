import { sql } from 'kysely'
import type { Seconds } from '@tollgate/contract'
import { type Database, openDatabase } from '../../src/store/database.ts'

type Place = Parameters<typeof openDatabase>[0]

/**
 * A database with a clock that tests set. SQLite uses the machine's clock. A reopened database
 * keeps its time.
 */
export async function openClockedDatabase(place: Place, startsAt: Seconds) {
  const { databaseUrl } = place
  if (databaseUrl === undefined) {
    const database = await openDatabase(place)
    return { database, setClock: async () => {} }
  }
  const database = await openDatabase({ ...place, databaseUrl: withOwnClock(databaseUrl) })
  await replaceClock(database, startsAt)
  return { database, setClock: (seconds: Seconds) => setClock(database, seconds) }
}

/** Functions in the schema `public` then shadow PostgreSQL's own. */
function withOwnClock(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  url.searchParams.set('options', '-c search_path=public,pg_catalog')
  return url.href
}

async function replaceClock({ kysely }: Database, startsAt: Seconds) {
  await sql`create table if not exists test_clock as select ${sql.lit(startsAt)}::float8 as seconds`.execute(
    kysely,
  )
  await sql`create or replace function public.clock_timestamp() returns timestamptz language sql as
    'select to_timestamp(seconds) from public.test_clock'`.execute(kysely)
}

async function setClock({ kysely }: Database, seconds: Seconds) {
  await sql`update test_clock set seconds = ${seconds}`.execute(kysely)
}
