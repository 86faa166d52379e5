import pg from 'pg'
import { vi } from 'vitest'
import { SqliteThread } from '../src/store/sqlite-thread.ts'

/** Neither looking for changes of other nodes nor opening a connection belongs to what runs. */
const ASIDE = /"meta"|"options"|pg_backend_pid/
/** Nor do turns of the ledger, of which one comes every two seconds whatever happens. */
const TURN = /"ledger_nodes"/

type Statement = { sql: string; connection: unknown }

/** What the databases of this process are asked while something runs, in order. */
export async function statementsDuring(run: () => Promise<unknown>): Promise<string[]> {
  const sqlite = vi.spyOn(SqliteThread.prototype, 'execute')
  const postgres = vi.spyOn(pg.Client.prototype, 'query')
  try {
    await run()
    const asked: Statement[] = [
      ...sqlite.mock.calls.flatMap(([queries], index) =>
        queries.map(({ sql }) => ({ sql, connection: sqlite.mock.contexts[index] })),
      ),
      ...postgres.mock.calls.map(([sql], index) => ({
        sql: String(sql),
        connection: postgres.mock.contexts[index],
      })),
    ]
    const inTurns = new Set(asked.flatMap((statement) => turnAround(statement, asked)))
    return asked
      .filter((statement) => !ASIDE.test(statement.sql) && !inTurns.has(statement))
      .map(({ sql }) => sql)
  } finally {
    sqlite.mockRestore()
    postgres.mockRestore()
  }
}

/** All statements of the transaction, if this is one of a turn. */
function turnAround(statement: Statement, asked: readonly Statement[]): Statement[] {
  if (!TURN.test(statement.sql)) return []
  const same = asked.filter(({ connection }) => connection === statement.connection)
  const at = same.indexOf(statement)
  const begin = same.findLastIndex(({ sql }, index) => index < at && /^begin/i.test(sql))
  const commit = same.findIndex(({ sql }, index) => index > at && /^commit/i.test(sql))
  return begin === -1 ? [statement] : same.slice(begin, commit === -1 ? undefined : commit + 1)
}
