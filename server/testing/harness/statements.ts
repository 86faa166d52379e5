import pg from 'pg'
import { vi } from 'vitest'
import { SqliteThread } from '../../src/store/sqlite-thread.ts'

/** Polling for changes of other nodes and opening connections are not part of `run`. */
const ASIDE = /"meta"|"options"|pg_backend_pid/
/** Nor are ledger batches, which come every two seconds. */
const TURN = /"ledger_nodes"/

type Statement = { sql: string; connection: unknown }

/** All SQL statements of this process while `run` runs, in order, without ledger batches. */
export async function statementsDuring(run: () => Promise<unknown>): Promise<string[]> {
  const { asked, inTurns } = await askedDuring(run)
  return asked.filter((statement) => !inTurns.has(statement)).map(({ sql }) => sql)
}

/** The SQL statements of ledger batches while `run` runs, in order. */
export async function batchStatementsDuring(run: () => Promise<unknown>): Promise<string[]> {
  const { asked, inTurns } = await askedDuring(run)
  return asked.filter((statement) => inTurns.has(statement)).map(({ sql }) => sql)
}

async function askedDuring(run: () => Promise<unknown>) {
  const sqlite = vi.spyOn(SqliteThread.prototype, 'execute')
  const postgres = vi.spyOn(pg.Client.prototype, 'query')
  try {
    await run()
    const asked: Statement[] = [
      ...sqlite.mock.calls.flatMap(([queries], index) =>
        queries.map(({ sql }) => ({ sql, connection: sqlite.mock.contexts[index] })),
      ),
      ...postgres.mock.calls.map(([sql], index) => ({
        sql: textOf(sql),
        connection: postgres.mock.contexts[index],
      })),
    ]
    const inTurns = new Set(asked.flatMap((statement) => turnAround(statement, asked)))
    return { asked: asked.filter(({ sql }) => !ASIDE.test(sql)), inTurns }
  } finally {
    sqlite.mockRestore()
    postgres.mockRestore()
  }
}

/** A query is given as its text or with it. */
function textOf(query: unknown): string {
  if (typeof query === 'string') return query
  const text = typeof query === 'object' && query !== null && 'text' in query ? query.text : null
  if (typeof text === 'string') return text
  throw new TypeError('a query without a text')
}

/** If the statement belongs to a ledger batch, all statements of its transaction. */
function turnAround(statement: Statement, asked: readonly Statement[]): Statement[] {
  if (!TURN.test(statement.sql)) return []
  const same = asked.filter(({ connection }) => connection === statement.connection)
  const at = same.indexOf(statement)
  const begin = same.findLastIndex(({ sql }, index) => index < at && /^begin/i.test(sql))
  const commit = same.findIndex(({ sql }, index) => index > at && /^commit/i.test(sql))
  return begin === -1 ? [statement] : same.slice(begin, commit === -1 ? undefined : commit + 1)
}
