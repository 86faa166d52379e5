import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from 'kysely'
import { CompiledBatch } from './compiled-batch.ts'
import { pg } from './pg.ts'
import { PreparedNames } from './prepared-names.ts'

const COMMIT = CompiledQuery.raw('commit')
const ROLLBACK = CompiledQuery.raw('rollback')
const WRITES: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

/** No such statement, statement exists already, and "cached plan must not change result type". */
const UNPREPARED: ReadonlySet<string> = new Set(['26000', '42P05', '0A000'])

/** Shared by the connections of a pool, which stop together. */
type Preparing = { isOn: boolean }

type Answer = QueryResult<unknown> & { readonly command: string }

/** Clients are in pipeline mode: they send a query before the ones before it are answered. */
class PostgresConnection implements DatabaseConnection {
  readonly #client: pg.PoolClient
  readonly #preparing: Preparing
  readonly #names = new PreparedNames()
  /** Sent with the first query of a transaction, which saves a round trip. */
  #begin: readonly CompiledQuery[] = []
  /** Sent with the commit of the transaction. */
  #last: readonly CompiledQuery[] = []
  #isBroken = false

  constructor(client: pg.PoolClient, preparing: Preparing) {
    this.#client = client
    this.#preparing = preparing
  }

  begin({ isolationLevel, accessMode }: TransactionSettings) {
    const modes = [isolationLevel && `isolation level ${isolationLevel}`, accessMode]
    this.#begin = [CompiledQuery.raw(['begin', ...modes.filter(Boolean)].join(' '))]
  }

  async commit() {
    const last = this.#last
    this.#last = []
    if (this.#begin.length > 0 && last.length === 0) return void (this.#begin = [])
    const answer = (await this.#run([...last, COMMIT])).at(-1)
    // The answer to a commit after a failed statement, whose error somebody must have swallowed.
    if (answer?.command === 'ROLLBACK') throw new Error('the transaction was rolled back')
  }

  /** Its failure is reported instead of the cause of the rollback: the database is unavailable. */
  async rollback() {
    this.#last = []
    if (this.#begin.length > 0) return void (this.#begin = [])
    try {
      await this.#run([ROLLBACK])
    } catch (error) {
      this.#isBroken = true
      throw error
    }
  }

  /** The server rolls back what a broken connection leaves open. */
  release() {
    this.#client.release(this.#isBroken)
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const isBatch = query instanceof CompiledBatch
    if (isBatch && query.isLast) {
      this.#last = query.queries
      return { rows: [] }
    }
    const results = await this.#run(isBatch ? query.queries : [query])
    const last = isBatch ? { rows: results.map(({ rows }) => rows) } : results.at(-1)
    return (last ?? { rows: [] }) as QueryResult<Row> // safe because Kysely typed the query
  }

  /** Sends the queries together. After a failure the transaction refuses the queries behind it. */
  async #run(queries: readonly CompiledQuery[]): Promise<Answer[]> {
    const begin = this.#begin
    this.#begin = []
    const { stream } = this.#client.connection
    stream.cork()
    const sent = [...begin, ...queries].map((query) => this.#send(query))
    stream.uncork()
    const answers = await Promise.allSettled(sent)
    const failure = answers.find((answer) => answer.status === 'rejected')
    if (failure !== undefined) throw failure.reason
    return (await Promise.all(sent)).slice(begin.length)
  }

  async #send({ sql, parameters }: CompiledQuery): Promise<Answer> {
    // A command without values is a single message as it is.
    const prepares = parameters.length > 0 && this.#preparing.isOn
    const name = prepares ? this.#names.nameOf(sql) : undefined
    const query = { text: sql, values: [...parameters], ...(name !== undefined && { name }) }
    const answer = this.#client.query<object>(query)
    const { command, rowCount, rows } = await (name === undefined
      ? answer
      : answer.catch((error: unknown) => this.#failPrepared(error)))
    const isWrite = WRITES.has(command)
    return { command, rows, ...(isWrite && { numAffectedRows: BigInt(rowCount ?? 0) }) }
  }

  /** The server lacks or changed what was prepared, as behind an undetected pooler. */
  #failPrepared(error: unknown): never {
    if (error instanceof pg.DatabaseError && UNPREPARED.has(error.code ?? '')) {
      this.#isBroken = true
      this.#preparing.isOn = false
    }
    throw error
  }

  streamQuery(): never {
    throw new Error('streaming is not offered over PostgreSQL')
  }
}

class PostgresDriver implements Driver {
  readonly #pool: pg.Pool
  readonly #preparing: Preparing
  readonly #connections = new WeakMap<pg.PoolClient, PostgresConnection>()

  constructor(pool: pg.Pool, prepares: boolean) {
    this.#pool = pool
    this.#preparing = { isOn: prepares }
  }

  async init() {}

  async acquireConnection() {
    const client = await this.#pool.connect()
    const known = this.#connections.get(client)
    if (known !== undefined) return known
    const prepares = this.#preparing.isOn && (await isDirect(client))
    const connection = new PostgresConnection(client, prepares ? this.#preparing : { isOn: false })
    this.#connections.set(client, connection)
    return connection
  }

  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings) {
    of(connection).begin(settings)
  }

  commitTransaction(connection: DatabaseConnection) {
    return of(connection).commit()
  }

  rollbackTransaction(connection: DatabaseConnection) {
    return of(connection).rollback()
  }

  async releaseConnection(connection: DatabaseConnection) {
    of(connection).release()
  }

  destroy() {
    return this.#pool.end()
  }
}

/**
 * Whether one process of the server serves the connection to its end. A pooler may lend another
 * process to each transaction, which lacks the statements prepared before; it announces a process
 * number of its own.
 */
async function isDirect(client: pg.PoolClient): Promise<boolean> {
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    return 'processID' in client && client.processID === rows[0]?.pid
  } catch (error) {
    client.release(true)
    throw error
  }
}

function of(connection: DatabaseConnection): PostgresConnection {
  if (connection instanceof PostgresConnection) return connection
  throw new TypeError('the connection is of another driver')
}

/**
 * The clients of the pool must be in pipeline mode. With `prepares`, connections without a pooler
 * prepare the statements that they repeat. These must name their columns: another result type,
 * after a migration, would fail them. After such a failure the pool prepares no more.
 */
export const postgresDialect = (pool: pg.Pool, { prepares = false } = {}): Dialect => ({
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new PostgresDriver(pool, prepares),
  createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
})
