import { sql } from 'kysely'
import type { Database } from './database.ts'

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
