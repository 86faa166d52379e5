import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { MessagePort } from 'node:worker_threads'
import { isPacked, type PackedRows, unpackRows } from './packed-rows.ts'

/** Runs once per row of parameters. */
export type SqliteStatement = {
  sql: string
  parameters: readonly (readonly (string | number | bigint | null)[])[] | PackedRows
}

/**
 * The reply has the result of each statement. Execution stops at the first failure. Calls are
 * answered in order.
 */
export type SqliteCall = { statements: SqliteStatement[] }

export type SqliteResult = {
  columns: string[]
  rows: unknown[][]
  changes: number
  insertId: number
}

export type SqliteReply = { results: SqliteResult[] } | { error: string; code: number }

const STATEMENTS_MAX = 500
const BUSY_TIMEOUT_MS = 10_000
const READER_CACHE_KIB = 16_384
/** The pages that charges change hold the newest entries of each index of the log. */
const WRITER_CACHE_KIB = 4096

export type SqliteStart = { file: string; role: 'writer' | 'reader' }

export type SqlitePort = Pick<MessagePort, 'postMessage' | 'close'> & {
  on: (event: 'message', listener: (message: SqliteCall | 'close') => void) => unknown
}

/** Answers the calls from `port` until it says `close`. */
export function serveSqlite(executor: Pick<SqliteExecutor, 'answer' | 'close'>, port: SqlitePort) {
  port.on('message', (message: SqliteCall | 'close') => {
    if (message !== 'close') return port.postMessage(executor.answer(message))
    executor.close()
    port.close()
  })
}

/** Opens the database in this thread. */
export function openSqlite(
  { file, role }: SqliteStart,
  busyTimeoutMs = BUSY_TIMEOUT_MS,
): SqliteExecutor {
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs })
  // With synchronous = FULL, an acknowledged commit survives a power cut.
  if (role === 'writer') database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  else database.exec('PRAGMA query_only = ON')
  const cacheKib = role === 'writer' ? WRITER_CACHE_KIB : READER_CACHE_KIB
  database.exec(`PRAGMA cache_size = -${cacheKib}`)
  database.exec('PRAGMA temp_store = MEMORY; PRAGMA case_sensitive_like = ON')
  return new SqliteExecutor(database)
}

type Prepared = { statement: StatementSync; columns: string[] }

const NOTHING: SqliteResult = { columns: [], rows: [], changes: 0, insertId: 0 }

export class SqliteExecutor {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, Prepared>()

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  close() {
    this.#database.close()
  }

  answer({ statements }: SqliteCall): SqliteReply {
    try {
      return { results: statements.map(this.#run) }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0
      return { error: message, code }
    }
  }

  readonly #run = ({ sql, parameters }: SqliteStatement): SqliteResult => {
    // Some errors, such as a full disk, have already ended the transaction.
    if (sql === 'rollback' && !this.#database.isTransaction) return NOTHING
    const { statement, columns } = this.#prepare(sql)
    if (columns.length > 0) {
      const [first = []] = isPacked(parameters) ? unpackRows(parameters) : parameters
      const rows: unknown = statement.all(...first)
      return { ...NOTHING, columns, rows: rows as unknown[][] } // safe because of setReturnArrays
    }
    let result = NOTHING
    for (const row of isPacked(parameters) ? unpackRows(parameters) : parameters) {
      const { changes, lastInsertRowid } = statement.run(...row)
      result = { ...NOTHING, changes: Number(changes), insertId: Number(lastInsertRowid) }
    }
    return result
  }

  /** Rows cross threads as arrays, which takes a third of the time that objects take. */
  #prepare(sql: string): Prepared {
    const known = this.#statements.get(sql)
    if (known) return known
    if (this.#statements.size >= STATEMENTS_MAX) this.#statements.clear()
    const statement = this.#database.prepare(sql)
    statement.setReturnArrays(true)
    const prepared = { statement, columns: statement.columns().map(({ name }) => name) }
    this.#statements.set(sql, prepared)
    return prepared
  }
}
