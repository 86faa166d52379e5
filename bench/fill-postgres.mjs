// Fills the users and the log of a migrated PostgreSQL database.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findPostgres } from './databases.mjs'
import { logsOf, usersOf } from './fill-log.mjs'
import { run } from './processes.mjs'

const FILL_TIMEOUT_MS = 10 * 60_000

const OTHER_INDEXES = `pg_indexes where schemaname = current_schema() and tablename = 'logs'
  and indexname <> 'logs_pkey'`

/**
 * Creates indexes at the end, which takes a fraction of the time of updating them row by row, and
 * cleans the tables as PostgreSQL does in the background.
 */
export async function fillPostgres(bench, { users, logs }, { url }) {
  const script = `set client_encoding = 'UTF8';
create temp table kept as select replace(indexdef, ' ON ONLY ', ' ON ') as indexdef from ${OTHER_INDEXES};
select format('drop index %I', indexname) from ${OTHER_INDEXES} \\gexec
${usersOf(users)}
${logsOf({ users, logs })}
select indexdef from kept \\gexec
vacuum (analyze);
`
  const file = join(bench.folder, 'fill.sql')
  writeFileSync(file, script)
  const psql = join(findPostgres(), 'psql')
  await run([psql, '-q', '-o', '/dev/null', '-v', 'ON_ERROR_STOP=1', '-f', file, url], {
    timeoutMs: FILL_TIMEOUT_MS,
  })
}
