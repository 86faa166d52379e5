import { getPriority, setPriority } from 'node:os'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

/** Runs once per row of parameters. */
export type SqliteStatement = {
  sql: string
  parameters: readonly (readonly (string | number | bigint | null)[])[]
}

/** The reply has the result of each statement. Execution stops at the first failure. */
export type SqliteCall = { call: number; statements: SqliteStatement[] }

export type SqliteResult = {
  columns: string[]
  rows: unknown[][]
  changes: number
  insertId: number
}

export type SqliteReply =
  | { call: number; results: SqliteResult[] }
  | { call: number; error: string; code: number }

const STATEMENTS_MAX = 500
const BUSY_TIMEOUT_MS = 10_000
/** A nice value that gives readers a third of the other threads' CPU share under contention. */
const READER_NICENESS = 5
const NICENESS_MAX = 19
const READER_CACHE_KIB = 16_384

type Start = { file: string; role: 'writer' | 'reader' }

const { file, role } = workerData as Start // safe because only SqliteThread starts this worker
const port = parentPort
if (port === null) throw new Error('sqlite-worker must be started as a worker thread')

const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS })
// With synchronous = FULL, an acknowledged commit survives a power cut.
if (role === 'writer') database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
else database.exec(`PRAGMA query_only = ON; PRAGMA cache_size = -${READER_CACHE_KIB}`)
database.exec('PRAGMA temp_store = MEMORY; PRAGMA case_sensitive_like = ON')

if (role === 'reader') yieldToOthers()

/**
 * A long read must not delay charges. Linux only: elsewhere the priority applies to the whole
 * process.
 */
function yieldToOthers() {
  if (process.platform !== 'linux') return
  try {
    setPriority(Math.min(NICENESS_MAX, getPriority() + READER_NICENESS))
  } catch {
    // Some sandboxes forbid setting the priority; reads work without it.
  }
}

type Prepared = { statement: StatementSync; columns: string[] }

const statements = new Map<string, Prepared>()

/** Rows cross threads as arrays, which takes a third of the time that objects take. */
function prepare(sql: string): Prepared {
  const known = statements.get(sql)
  if (known) return known
  if (statements.size >= STATEMENTS_MAX) statements.clear()
  const statement = database.prepare(sql)
  statement.setReturnArrays(true)
  const prepared = { statement, columns: statement.columns().map(({ name }) => name) }
  statements.set(sql, prepared)
  return prepared
}

function answer({ call, statements }: SqliteCall): SqliteReply {
  try {
    return { call, results: statements.map(run) }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0
    return { call, error: message, code }
  }
}

const NOTHING: SqliteResult = { columns: [], rows: [], changes: 0, insertId: 0 }

function run({ sql, parameters }: SqliteStatement): SqliteResult {
  // Some errors, such as a full disk, have already ended the transaction.
  if (sql === 'rollback' && !database.isTransaction) return NOTHING
  const { statement, columns } = prepare(sql)
  if (columns.length > 0) {
    const rows: unknown = statement.all(...(parameters[0] ?? []))
    return { ...NOTHING, columns, rows: rows as unknown[][] } // safe because of setReturnArrays
  }
  let result = NOTHING
  for (const row of parameters) {
    const { changes, lastInsertRowid } = statement.run(...row)
    result = { ...NOTHING, changes: Number(changes), insertId: Number(lastInsertRowid) }
  }
  return result
}

port.on('message', (message: SqliteCall | 'close') => {
  if (message !== 'close') return port.postMessage(answer(message))
  database.close()
  port.close()
})
