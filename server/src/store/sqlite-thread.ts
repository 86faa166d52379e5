import { Worker } from 'node:worker_threads'
import type { QueryResult } from 'kysely'
import type { StoredValue } from './compiled-batch.ts'
import type { SqliteCall, SqliteReply, SqliteResult } from './sqlite-worker.ts'

/** An error of SQLite itself; `code` is its extended result code. */
export class SqliteError extends Error {
  override readonly name = 'SqliteError'
  readonly code: number

  constructor(message: string, code: number) {
    super(message)
    this.code = code
  }
}

/** The thread is gone, as when its memory was used up: what it was asked may have been done or not. */
export class SqliteThreadEnded extends Error {
  override readonly name = 'SqliteThreadEnded'
}

export type SqliteQuery = {
  sql: string
  parameters: readonly unknown[]
  /** Runs once for each row instead; results are for the last. */
  rows?: readonly (readonly StoredValue[])[]
}

type Waiting = {
  resolve: (reply: SqliteReply) => void
  reject: (error: Error) => void
  since: number
}

/** The system may have no thread to give. */
function createWorker(file: string, role: 'writer' | 'reader'): Worker | SqliteThreadEnded {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  try {
    const script = new URL(`./sqlite-worker.${extension}`, import.meta.url)
    return new Worker(script, { workerData: { file, role } })
  } catch (error) {
    return endedBy(error)
  }
}

function endedBy(error: unknown) {
  const reason = error instanceof Error ? error.message : String(error)
  return new SqliteThreadEnded(`the SQLite thread has ended: ${reason}`, { cause: error })
}

/** One thread with one open database; calls are answered in their order. */
export class SqliteThread {
  readonly #worker: Worker | null
  readonly #waiting = new Map<number, Waiting>()
  readonly #exited: Promise<void>
  #calls = 0
  #ended: SqliteThreadEnded | null = null

  constructor(file: string, role: 'writer' | 'reader') {
    const worker = createWorker(file, role)
    if (worker instanceof SqliteThreadEnded) {
      this.#worker = null
      this.#exited = Promise.resolve()
      this.#ended = worker
      return
    }
    this.#worker = worker
    worker.on('message', (reply: SqliteReply) => {
      const waiting = this.#waiting.get(reply.call)
      this.#waiting.delete(reply.call)
      waiting?.resolve(reply)
    })
    worker.on('error', (error) => this.#end(endedBy(error)))
    this.#exited = new Promise((resolve) => {
      worker.once('exit', () => {
        this.#end(new SqliteThreadEnded('the SQLite thread has ended'))
        resolve()
      })
    })
  }

  get hasEnded(): boolean {
    return this.#ended !== null
  }

  /** How many calls wait for their answers. */
  get waiting() {
    return this.#waiting.size
  }

  /** For how many milliseconds the first of them has waited; 0 when none does. */
  get waitedMs() {
    const [first] = this.#waiting.values()
    return first === undefined ? 0 : performance.now() - first.since
  }

  /** Answers what each of the queries gives; the first that fails is the last that runs. */
  async execute(queries: readonly SqliteQuery[]): Promise<QueryResult<unknown>[]> {
    if (this.#ended) throw this.#ended
    const statements = queries.map(({ sql, parameters, rows }) => ({
      sql,
      parameters: rows ?? [parameters.map(bindable)],
    }))
    const message: SqliteCall = { call: ++this.#calls, statements }
    const reply = await new Promise<SqliteReply>((resolve, reject) => {
      this.#waiting.set(message.call, { resolve, reject, since: performance.now() })
      this.#worker?.postMessage(message)
    })
    if ('error' in reply) throw new SqliteError(reply.error, reply.code)
    return reply.results.map((result) => ({
      rows: objects(result),
      numAffectedRows: BigInt(result.changes),
      insertId: BigInt(result.insertId),
    }))
  }

  /** What was asked before is answered first. */
  async close() {
    if (!this.#ended) this.#worker?.postMessage('close')
    await this.#exited
  }

  #end(error: SqliteThreadEnded) {
    this.#ended ??= error
    for (const waiting of this.#waiting.values()) waiting.reject(this.#ended)
    this.#waiting.clear()
  }
}

type RowMaker = (values: unknown[]) => Record<string, unknown>

const ROW_MAKERS_MAX = 500
const rowMakers = new Map<string, RowMaker>()

function objects({ columns, rows }: SqliteResult) {
  return rows.length === 0 ? [] : rows.map(rowMaker(columns))
}

/**
 * A literal of these columns. An object that grows by them takes thirty times as long, the instance
 * of a class made for them ten times.
 */
function rowMaker(columns: readonly string[]): RowMaker {
  const fields = columns.map((column, index) => `${JSON.stringify(column)}:values[${index}]`).join()
  const known = rowMakers.get(fields)
  if (known) return known
  if (rowMakers.size >= ROW_MAKERS_MAX) rowMakers.clear()
  // oxlint-disable-next-line typescript/no-implied-eval -- the names are those of our own statements, quoted
  const maker = new Function('values', `return {${fields}}`) as RowMaker // safe because of its text
  rowMakers.set(fields, maker)
  return maker
}

/** Numbers are bound as floating point otherwise, which `cast(? as text)` and division would show. */
export function bindable(value: unknown): string | number | bigint | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value
  if (value === null || typeof value === 'string') return value
  throw new TypeError(`a ${typeof value} cannot be stored`)
}
