import { Worker } from 'node:worker_threads'
import type { QueryResult } from 'kysely'
import type { StoredValue } from './compiled-batch.ts'
import { packRows } from './packed-rows.ts'
import type { SqliteCall, SqliteReply, SqliteResult, SqliteStart } from './sqlite-connection.ts'

/** An error of SQLite itself. `code` is its extended result code. */
export class SqliteError extends Error {
  override readonly name = 'SqliteError'
  readonly code: number

  constructor(message: string, code: number) {
    super(message)
    this.code = code
  }
}

/** The thread has ended, for example out of memory. A pending statement may or may not have run. */
export class SqliteThreadEnded extends Error {
  override readonly name = 'SqliteThreadEnded'
}

export type SqliteQuery = {
  sql: string
  parameters: readonly unknown[]
  /** If set, the statement runs once per row; the result is that of the last row. */
  rows?: readonly (readonly StoredValue[])[]
}

type PendingCall = {
  resolve: (reply: SqliteReply) => void
  reject: (error: Error) => void
  since: number
}

export type SqliteWorker = {
  postMessage: (message: SqliteCall | 'close') => void
  on: {
    (event: 'message', listener: (reply: SqliteReply) => void): unknown
    (event: 'error' | 'messageerror' | 'exit', listener: (reason: unknown) => void): unknown
  }
}

/** Throws if the operating system cannot create a thread. */
export type StartSqlite = (start: SqliteStart) => SqliteWorker

export const startSqlite: StartSqlite = (start) => {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const script = new URL(`./sqlite-worker.${extension}`, import.meta.url)
  return new Worker(script, { workerData: start })
}

function tryStart(startWorker: StartSqlite, start: SqliteStart) {
  try {
    return startWorker(start)
  } catch (error) {
    return endedBy(error)
  }
}

function endedBy(error: unknown) {
  const reason = error instanceof Error ? error.message : String(error)
  return new SqliteThreadEnded(`the SQLite thread has ended: ${reason}`, { cause: error })
}

/** One thread with one open database. Calls are answered in order. */
export class SqliteThread {
  readonly #worker: SqliteWorker | null
  /** The oldest call comes first: it is answered next. */
  readonly #pending: PendingCall[] = []
  #waiting: (() => void)[] = []
  readonly #exited: Promise<void>
  #ended: SqliteThreadEnded | null = null

  constructor(start: SqliteStart, startWorker: StartSqlite) {
    const worker = tryStart(startWorker, start)
    if (worker instanceof SqliteThreadEnded) {
      this.#worker = null
      this.#exited = Promise.resolve()
      this.#ended = worker
      return
    }
    this.#worker = worker
    worker.on('message', (reply: SqliteReply) => {
      this.#pending.shift()?.resolve(reply)
      if (this.#pending.length === 0) this.#wake()
    })
    worker.on('error', (error) => this.#end(endedBy(error)))
    // An answer is lost: without an end, each later one would reach the wrong caller.
    worker.on('messageerror', (error) => {
      this.#end(endedBy(error))
      worker.postMessage('close')
    })
    this.#exited = new Promise((resolve) => {
      worker.on('exit', () => {
        this.#end(new SqliteThreadEnded('the SQLite thread has ended'))
        resolve()
      })
    })
  }

  get hasEnded(): boolean {
    return this.#ended !== null
  }

  /** Number of pending calls. */
  get pendingCount() {
    return this.#pending.length
  }

  /** How long the oldest pending call has waited, in milliseconds; 0 if none is pending. */
  get waitedMs() {
    const [first] = this.#pending
    return first === undefined ? 0 : performance.now() - first.since
  }

  /** Resolves when no call is pending, and at the end of the thread. */
  async whenIdle(): Promise<void> {
    if (this.#pending.length > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** Returns the result of each query. Stops at the first query that fails. */
  async execute(queries: readonly SqliteQuery[]): Promise<QueryResult<unknown>[]> {
    if (this.#ended) throw this.#ended
    const statements = queries.map(({ sql, parameters, rows }) => ({
      sql,
      parameters: rows === undefined ? [parameters.map(bindable)] : packRows(rows),
    }))
    const reply = await new Promise<SqliteReply>((resolve, reject) => {
      // First, because a call that cannot be posted gets no answer.
      this.#worker?.postMessage({ statements })
      this.#pending.push({ resolve, reject, since: performance.now() })
    })
    if ('error' in reply) throw new SqliteError(reply.error, reply.code)
    return reply.results.map((result) => ({
      rows: toObjects(result),
      numAffectedRows: BigInt(result.changes),
      insertId: BigInt(result.insertId),
    }))
  }

  /** Pending calls are answered first. */
  async close() {
    if (!this.#ended) this.#worker?.postMessage('close')
    await this.#exited
  }

  #end(error: SqliteThreadEnded) {
    this.#ended ??= error
    for (const pending of this.#pending.splice(0)) pending.reject(this.#ended)
    this.#wake()
  }

  #wake() {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }
}

type RowMaker = (values: unknown[]) => Record<string, unknown>

const ROW_MAKERS_MAX = 500
const rowMakers = new Map<string, RowMaker>()

function toObjects({ columns, rows }: SqliteResult) {
  return rows.length === 0 ? [] : rows.map(rowMaker(columns))
}

/**
 * Compiles an object literal with these columns. An object that grows column by column takes thirty
 * times as long, an instance of a class made for the columns ten times.
 */
function rowMaker(columns: readonly string[]): RowMaker {
  const fields = columns.map((column, index) => `${JSON.stringify(column)}:values[${index}]`).join()
  const known = rowMakers.get(fields)
  if (known) return known
  if (rowMakers.size >= ROW_MAKERS_MAX) rowMakers.clear()
  // oxlint-disable-next-line typescript/no-implied-eval -- column names of our statements, quoted
  const maker = new Function('values', `return {${fields}}`) as RowMaker // safe because of its text
  rowMakers.set(fields, maker)
  return maker
}

/**
 * Integers become BigInt. Numbers are bound as floating point, which shows in `cast(? as text)` and
 * division.
 */
export function bindable(value: unknown): string | number | bigint | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value
  if (value === null || typeof value === 'string') return value
  throw new TypeError(`a ${typeof value} cannot be stored`)
}
