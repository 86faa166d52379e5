import { type RawBuilder, sql } from 'kysely'
import type { Seconds } from '@tollgate/contract'
import type { Database } from './database.ts'

type Clocks = { database: Pick<Database, 'kind'>; now: () => number }

/** The time of the database when the statement runs; SQLite has the clock of this machine. */
export const databaseClock = ({ database: { kind }, now }: Clocks): RawBuilder<Seconds> =>
  kind === 'sqlite'
    ? sql`cast(${Math.floor(now() / 1000)} as bigint)`
    : sql`cast(floor(extract(epoch from clock_timestamp())) as bigint)`

/** The same as one moment where it stands in a statement, by which rows are found in an index. */
export const databaseMoment = (clocks: Clocks): RawBuilder<Seconds> =>
  sql`(select ${databaseClock(clocks)})`

/** By how many seconds the clock of this machine is ahead of that of the database server; SQLite has ours. */
export async function secondsAhead(
  { kind, kysely }: Pick<Database, 'kind' | 'kysely'>,
  now: () => number,
): Promise<number> {
  if (kind === 'sqlite') return 0
  const askedAt = now()
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from clock_timestamp())::float8 as seconds`.execute(kysely)
  const [row] = rows
  if (!row) throw new Error('the database did not tell the time')
  return Math.round((askedAt + now()) / 2000 - row.seconds)
}
