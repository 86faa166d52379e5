import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from 'kysely'
import { CompiledBatch } from './compiled-batch.ts'
import type { SqliteStart } from './sqlite-connection.ts'
import {
  type SqliteQuery,
  SqliteThread,
  SqliteThreadEnded,
  startSqlite,
  type StartSqlite,
} from './sqlite-thread.ts'

/** A read that has taken this long may take 100 times as long. */
const LONG_READ_MS = 5
const LONG_READ_WEIGHT = 100

const loadOf = ({ pendingCount, waitedMs }: SqliteThread) =>
  waitedMs > LONG_READ_MS ? pendingCount + LONG_READ_WEIGHT : pendingCount

/** The first reader has more calls than an idle server ever makes at once. */
const MANY_READS = 4

/** The snapshot thread and the second reader end after this rest, because each holds some MB. */
const REST_MS = 10_000

/** Resolves when the thread has no calls, at the latest after this time. */
const untilIdle = (thread: SqliteThread, withinMs: number) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, withinMs)
    void thread.whenIdle().then(() => {
      clearTimeout(timer)
      resolve()
    })
  })

/** A fair lock: one holder at a time, in order of request. */
class Mutex {
  #last: Promise<void> = Promise.resolve()

  async acquire(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const before = this.#last
    this.#last = promise
    await before
    return resolve
  }
}

/** The threads of one database file. A thread that has ended is replaced at its next use. */
class ThreadPool {
  readonly start: (role: SqliteStart['role']) => SqliteThread
  readonly writeLock = new Mutex()
  #writer: SqliteThread
  #reader: SqliteThread
  #second: SqliteThread | null = null
  #secondRest: NodeJS.Timeout | undefined
  readonly #snapshotLock = new Mutex()
  #snapshots: SqliteThread | null = null
  #rest: NodeJS.Timeout | undefined
  #isClosed = false

  /** Create after the writer has put the file into WAL mode, because the reader opens it here. */
  constructor(start: ThreadPool['start'], writer: SqliteThread) {
    this.start = start
    this.#writer = writer
    this.#reader = start('reader')
  }

  /** Only the holder of the write lock may use it. */
  get writer(): SqliteThread {
    if (this.#writer.hasEnded && !this.#isClosed) {
      this.#writer = this.start('writer')
    }
    return this.#writer
  }

  /**
   * Reads take turns on the first reader. If it has a long read, or many, the second is started,
   * and until it ends again a read goes to the less loaded reader.
   */
  async read(queries: readonly SqliteQuery[]) {
    const end = performance.now() + LONG_READ_MS
    for (;;) {
      if (this.#reader.hasEnded && !this.#isClosed) this.#reader = this.start('reader')
      const first = this.#reader
      const leftMs = end - performance.now()
      if (this.#second !== null || first.pendingCount === 0 || leftMs <= 0) {
        return this.#lessLoaded(first).execute(queries)
      }
      await untilIdle(first, leftMs + 1)
    }
  }

  #lessLoaded(first: SqliteThread): SqliteThread {
    if (loadOf(first) >= MANY_READS && !this.#isClosed) this.#keepSecond()
    const second = this.#second
    return second !== null && loadOf(second) < loadOf(first) ? second : first
  }

  #keepSecond() {
    if (this.#second === null || this.#second.hasEnded) this.#second = this.start('reader')
    this.#secondRest ??= setTimeout(() => void this.#endSecond(), REST_MS).unref()
    this.#secondRest.refresh()
  }

  /**
   * A thread of its own, because the shared readers must not read from an old snapshot. Snapshots
   * take turns, because with a thread for each, callers could use up the memory.
   */
  async acquireSnapshot() {
    const unlock = await this.#snapshotLock.acquire()
    clearTimeout(this.#rest)
    const known = this.#snapshots
    const thread = known === null || known.hasEnded ? this.start('reader') : known
    this.#snapshots = thread
    const release = () => {
      this.#rest = setTimeout(() => void this.#endSnapshots(), REST_MS).unref()
      unlock()
    }
    return { thread, release }
  }

  async #endSnapshots() {
    clearTimeout(this.#rest)
    const thread = this.#snapshots
    this.#snapshots = null
    await thread?.close()
  }

  async #endSecond() {
    clearTimeout(this.#secondRest)
    this.#secondRest = undefined
    const thread = this.#second
    this.#second = null
    await thread?.close()
  }

  async close() {
    this.#isClosed = true
    await this.#endSnapshots()
    await this.#endSecond()
    await this.#reader.close()
    await this.#writer.close()
  }
}

type OpenTransaction = {
  thread: SqliteThread
  /** Sent with the first statement, which saves a message to the thread. */
  begin: SqliteQuery[]
  /** Sent with the commit. */
  last: readonly SqliteQuery[]
  release: () => void
}

const command = (sql: string): SqliteQuery => ({ sql, parameters: [] })

/** Sends reads outside a transaction to a reader and everything else, in order, to the writer. */
class SqliteConnection implements DatabaseConnection {
  readonly #threads: ThreadPool
  #transaction: OpenTransaction | null = null

  constructor(threads: ThreadPool) {
    this.#threads = threads
  }

  async begin({ accessMode }: TransactionSettings) {
    this.#transaction = await (accessMode === 'read only'
      ? this.#beginSnapshot()
      : this.#beginWrite())
  }

  /** A failed commit leaves the transaction open and keeps the write lock, for the rollback. */
  async commit() {
    const { begin, last = [] } = this.#transaction ?? {}
    if (begin?.length === 0 || last.length > 0) await this.#run([...last, command('commit')])
    this.#release()
  }

  async rollback() {
    try {
      await this.#run([command('rollback')])
    } finally {
      this.#release()
    }
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const isBatch = query instanceof CompiledBatch
    if (isBatch && query.isLast && this.#transaction !== null) {
      this.#transaction.last = query.queries
      return { rows: [] }
    }
    const results = await this.#execute(isBatch ? query.queries : [query], query.query.kind)
    const last = isBatch ? { rows: results.map(({ rows }) => rows) } : results.at(-1)
    return (last ?? { rows: [] }) as QueryResult<Row> // safe because Kysely typed the query
  }

  async #execute(queries: readonly SqliteQuery[], kind: CompiledQuery['query']['kind']) {
    if (this.#transaction) return this.#run(queries)
    if (kind === 'SelectQueryNode') return this.#threads.read(queries)
    const unlock = await this.#threads.writeLock.acquire()
    try {
      return await this.#threads.writer.execute(queries)
    } finally {
      unlock()
    }
  }

  streamQuery(): never {
    throw new Error('streaming is not offered over SQLite')
  }

  async #run(queries: readonly SqliteQuery[]) {
    const transaction = this.#transaction
    if (transaction === null) throw new Error('there is no transaction')
    const begin = transaction.begin.splice(0)
    const results = await transaction.thread.execute([...begin, ...queries])
    return results.slice(begin.length)
  }

  async #beginWrite(): Promise<OpenTransaction> {
    const release = await this.#threads.writeLock.acquire()
    return { thread: this.#threads.writer, begin: [command('begin immediate')], last: [], release }
  }

  async #beginSnapshot(): Promise<OpenTransaction> {
    const { thread, release } = await this.#threads.acquireSnapshot()
    return { thread, begin: [command('begin')], last: [], release }
  }

  #release() {
    const transaction = this.#transaction
    this.#transaction = null
    transaction?.release()
  }
}

class SqliteThreadDriver implements Driver {
  readonly #start: ThreadPool['start']
  #threads: ThreadPool | null = null

  constructor(start: ThreadPool['start']) {
    this.#start = start
  }

  async init() {
    const writer = this.#start('writer')
    try {
      await writer.execute([command('select 1')])
    } catch (error) {
      await writer.close()
      throw error instanceof SqliteThreadEnded ? (error.cause ?? error) : error
    }
    this.#threads = new ThreadPool(this.#start, writer)
  }

  async acquireConnection() {
    if (this.#threads === null) throw new Error('the database is closed')
    return new SqliteConnection(this.#threads)
  }

  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings) {
    if (connection instanceof SqliteConnection) await connection.begin(settings)
  }

  async commitTransaction(connection: DatabaseConnection) {
    if (connection instanceof SqliteConnection) await connection.commit()
  }

  async rollbackTransaction(connection: DatabaseConnection) {
    if (connection instanceof SqliteConnection) await connection.rollback()
  }

  async releaseConnection() {}

  /** Waits for the running transaction and for those queued before this call. */
  async destroy() {
    const threads = this.#threads
    this.#threads = null
    if (threads === null) return
    const unlock = await threads.writeLock.acquire()
    await threads.close()
    unlock()
  }
}

/** A transaction does not block reads, and a migration is one transaction. */
class ConcurrentSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections() {
    return true
  }

  override get supportsTransactionalDdl() {
    return true
  }
}

/** SQLite over any driver whose connections do not wait for each other. */
export const sqliteDialectOver = (createDriver: () => Driver): Dialect => ({
  createAdapter: () => new ConcurrentSqliteAdapter(),
  createDriver,
  createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
})

/** Kysely over `node:sqlite` in worker threads, so that no statement blocks the event loop. */
export const sqliteDialect = (file: string, startWorker: StartSqlite = startSqlite): Dialect =>
  sqliteDialectOver(
    () => new SqliteThreadDriver((role) => new SqliteThread({ file, role }, startWorker)),
  )
