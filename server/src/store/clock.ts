import { type RawBuilder, sql } from 'kysely'
import type { Seconds } from '@tollgate/contract'
import type { Database } from './database.ts'

type Clocks = { database: Pick<Database, 'kind'>; now: () => number }

/** Database time when the statement runs, in epoch seconds. SQLite uses this machine's clock. */
export const databaseClock = ({ database: { kind }, now }: Clocks): RawBuilder<Seconds> =>
  kind === 'sqlite'
    ? sql`cast(${Math.floor(now() / 1000)} as bigint)`
    : sql`cast(floor(extract(epoch from clock_timestamp())) as bigint)`

/**
 * `databaseClock` as a subquery. It is evaluated once per statement, so an index can be used to
 * find rows by it.
 */
export const databaseMoment = (clocks: Clocks): RawBuilder<Seconds> =>
  sql`(select ${databaseClock(clocks)})`

/** How many seconds this machine's clock is ahead of the database server's; 0 for SQLite. */
export async function secondsAhead(
  { kind, kysely }: Pick<Database, 'kind' | 'kysely'>,
  now: () => number,
): Promise<number> {
  if (kind === 'sqlite') return 0
  const askedAt = now()
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from clock_timestamp())::float8 as seconds`.execute(kysely)
  const [row] = rows
  if (!row) throw new Error('the database returned no time')
  return Math.round((askedAt + now()) / 2000 - row.seconds)
}
