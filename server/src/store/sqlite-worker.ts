import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

export type SqliteStatement = { sql: string; parameters: (string | number | bigint | null)[] }

/** Answered with what the last statement gives; the first that fails is the last that runs. */
export type SqliteCall = { call: number; statements: SqliteStatement[] }

export type SqliteReply =
  | { call: number; rows: Record<string, unknown>[]; changes: number; insertId: number }
  | { call: number; error: string; code: number }

const STATEMENTS_MAX = 500
const BUSY_TIMEOUT_MS = 10_000

type Start = { file: string; role: 'writer' | 'reader' }

const { file, role } = workerData as Start // safe because only SqliteThread starts this
const port = parentPort
if (port === null) throw new Error('sqlite-worker must be started as a worker thread')

const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS })
// With synchronous = FULL a commit that was answered survives a power cut.
if (role === 'writer') database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
else database.exec('PRAGMA query_only = ON')
database.exec('PRAGMA temp_store = MEMORY; PRAGMA case_sensitive_like = ON')

const statements = new Map<string, StatementSync>()

function prepare(sql: string): StatementSync {
  const known = statements.get(sql)
  if (known) return known
  if (statements.size >= STATEMENTS_MAX) statements.clear()
  const statement = database.prepare(sql)
  statements.set(sql, statement)
  return statement
}

function answer({ call, statements }: SqliteCall): SqliteReply {
  try {
    const results = statements.map(run)
    return { call, rows: [], changes: 0, insertId: 0, ...results.at(-1) }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0
    return { call, error: message, code }
  }
}

function run({ sql, parameters }: SqliteStatement) {
  // Some errors, as a full disk, have ended the transaction already.
  if (sql === 'rollback' && !database.isTransaction) return {}
  const statement = prepare(sql)
  if (statement.columns().length > 0) return { rows: statement.all(...parameters) }
  const { changes, lastInsertRowid } = statement.run(...parameters)
  return { changes: Number(changes), insertId: Number(lastInsertRowid) }
}

port.on('message', (message: SqliteCall | 'close') => {
  if (message !== 'close') return port.postMessage(answer(message))
  database.close()
  port.close()
})
