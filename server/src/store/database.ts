import { join } from 'node:path'
import { type Dialect, Kysely, sql, type Transaction } from 'kysely'
import pg from 'pg'
import { isMigrated, migrateTables, withoutMigrationLock } from './migrate-tables.ts'
import { postgresDialect } from './postgres-dialect.ts'
import { POSTGRES_LIVELINESS, PostgresServer } from './postgres-server.ts'
import type { Schema } from './schema.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import type { StartSqlite } from './sqlite-thread.ts'

export type Tx = Transaction<Schema>

export type Connections = {
  kind: 'sqlite' | 'postgres'
  kysely: Kysely<Schema>
  /** Retries up to `DEADLOCK_RETRIES` times after a deadlock or a serialization failure. */
  transaction: <Result>(run: (tx: Tx) => Promise<Result>) => Promise<Result>
}

/** The connections of a PostgreSQL pool. */
export type PoolUse = {
  readonly pool: 'main' | 'ledger'
  readonly inUse: number
  readonly idle: number
  readonly max: number
  /** Statements that wait for a connection. */
  readonly waiting: number
}

export type Database = Connections & {
  /**
   * The ledger's own connections, so that it never waits for a connection that other reads hold.
   * SQLite needs none: its writes have a thread of their own.
   */
  forLedger: Connections
  /** Reads a consistent snapshot without blocking writers. */
  snapshot: <Result>(run: (tx: Tx) => Promise<Result>) => Promise<Result>
  /**
   * A transaction after which every node rereads its snapshots: this node before the call resolves,
   * the others within a second.
   */
  change: <Result>(run: (tx: Tx) => Promise<Result>) => Promise<Result>
  /**
   * Like `change`, for users and tokens only. They change all the time, so nodes keep the snapshots
   * of everything else.
   */
  changeAccounts: <Result>(run: (tx: Tx) => Promise<Result>) => Promise<Result>
  /**
   * Called after every `change` and `changeAccounts`, on this node or another. Called again at the
   * next poll while a listener resolves to false.
   */
  onChange: (listener: () => unknown) => void
  /** Like `onChange`, but not called when only accounts changed. */
  onSettingsChange: (listener: () => unknown) => void
  /** Empty for SQLite, which has a thread for each connection. */
  pools: () => readonly PoolUse[]
  close: () => Promise<void>
}

/** Relative to DATA_DIR. */
export const SQLITE_FILE = 'tollgate.db'

const POSTGRES_CONNECTIONS_MAX = 20
/** One connection for the batch; all other statements of the ledger are short. */
const LEDGER_CONNECTIONS_MAX = 3
const STATEMENT_TIMEOUT_MS = 30_000
/**
 * Added to the statement timeout on the client, for a server that does not even report that
 * timeout.
 */
const ANSWER_TIMEOUT_EXTRA_MS = 5000
const CHANGE_POLL_MS = 500
const OTHER_TABLES = 'its tables are not those of this version; a start of the server updates them'
const DEADLOCK_RETRIES = 5
/** PostgreSQL codes serialization_failure and deadlock_detected. */
const DEADLOCK_CODES = new Set(['40001', '40P01'])

const BIGINT_OID = 20
pg.types.setTypeParser(BIGINT_OID, parseExact)

/** PostgreSQL returns the SUM of a BIGINT column as NUMERIC. */
const NUMERIC_OID = 1700
pg.types.setTypeParser(NUMERIC_OID, parseExact)

function parseExact(text: string): number {
  const value = Number(text)
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value
  throw new RangeError(`${text} cannot be held exactly`)
}

type OpenDatabase = {
  databaseUrl: string | undefined
  dataDir: string
  /** PostgreSQL only. */
  statementTimeoutMs?: number
  /** False rejects a database whose tables are those of another version. */
  migrates?: boolean
  /** SQLite only; starts the threads. */
  startSqlite?: StartSqlite | undefined
}

export async function openDatabase(options: OpenDatabase): Promise<Database> {
  const { databaseUrl, statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options
  if (databaseUrl === undefined) {
    return openConnected(connectSqlite(options.dataDir, options.startSqlite), options)
  }
  const server = PostgresServer.at(databaseUrl)
  await server.choose()
  try {
    return await openConnected(connectPostgres(server, statementTimeoutMs), options)
  } catch (error) {
    if (!server.noticePooler(error)) throw error
    return openConnected(connectPostgres(server, statementTimeoutMs), options)
  }
}

async function openConnected(
  { main, forLedger, pools }: Connected,
  { databaseUrl, migrates = true }: OpenDatabase,
): Promise<Database> {
  const close = async () => {
    await main.kysely.destroy()
    if (forLedger !== main) await forLedger.kysely.destroy()
  }
  try {
    if (main.kind === 'postgres') await assertUtf8(main.kysely)
    if (migrates) await migrate(main.kysely, main.kind, databaseUrl)
    else if (!(await isMigrated(main.kysely))) throw new Error(OTHER_TABLES)
    return await withChangeEvents(main, { forLedger, pools, close })
  } catch (error) {
    await close()
    throw error
  }
}

/** Other encodings reject most Chinese texts, such as the notes of money operations. */
async function assertUtf8(kysely: Kysely<Schema>) {
  const { rows } = await sql<{ encoding: string }>`
    select current_setting('server_encoding') as encoding`.execute(kysely)
  const encoding = rows[0]?.encoding
  if (encoding !== 'UTF8') throw new Error(`its encoding is ${encoding} and must be UTF8`)
}

type Connected = Pick<Database, 'forLedger' | 'pools'> & { main: Connections }

function connectSqlite(dataDir: string, startSqlite: StartSqlite | undefined): Connected {
  const main = connectionsOf('sqlite', sqliteDialect(join(dataDir, SQLITE_FILE), startSqlite))
  return { main, forLedger: main, pools: () => [] }
}

function connectPostgres(server: PostgresServer, statementTimeoutMs: number): Connected {
  const main = postgresPool(server, { max: POSTGRES_CONNECTIONS_MAX, statementTimeoutMs })
  const ledger = postgresPool(server, { max: LEDGER_CONNECTIONS_MAX, statementTimeoutMs })
  const limit = server.isPooler ? limitTransaction(statementTimeoutMs) : undefined
  return {
    main: connectionsOf('postgres', postgresDialect(main), limit),
    forLedger: connectionsOf('postgres', postgresDialect(ledger, { prepares: true }), limit),
    pools: () => [useOf('main', main), useOf('ledger', ledger)],
  }
}

const useOf = (name: PoolUse['pool'], pool: pg.Pool): PoolUse => ({
  pool: name,
  inUse: pool.totalCount - pool.idleCount,
  idle: pool.idleCount,
  max: pool.options.max,
  waiting: pool.waitingCount,
})

/** A pooler lends its connections, so limits hold for a transaction only. */
const limitTransaction = (statementTimeoutMs: number) => (tx: Tx) =>
  sql`select set_config('statement_timeout', ${String(statementTimeoutMs)}, true),
    set_config('idle_in_transaction_session_timeout', ${String(STATEMENT_TIMEOUT_MS)}, true)`.execute(
    tx,
  )

function connectionsOf(
  kind: Connections['kind'],
  dialect: Dialect,
  limit?: (tx: Tx) => Promise<unknown>,
): Connections {
  const kysely = new Kysely<Schema>({ dialect })
  const transaction = <Result>(run: (tx: Tx) => Promise<Result>): Promise<Result> =>
    retryDeadlocks(() =>
      kysely.transaction().execute(async (tx) => {
        await limit?.(tx)
        return run(tx)
      }),
    )
  return { kind, kysely, transaction }
}

async function retryDeadlocks<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let retries = 0; ; retries++) {
    try {
      return await run()
    } catch (error) {
      if (!isDeadlock(error) || retries >= DEADLOCK_RETRIES) throw error
    }
  }
}

/**
 * Uses its own connections without a statement timeout: creating an index over many rows takes
 * long.
 */
async function migratePostgres(databaseUrl: string) {
  const limits = { max: POSTGRES_CONNECTIONS_MAX, statementTimeoutMs: null }
  const pool = postgresPool(PostgresServer.at(databaseUrl), limits)
  const kysely = new Kysely<Schema>({ dialect: withoutMigrationLock(postgresDialect(pool)) })
  try {
    // Servers of the version before use the tables meanwhile.
    await retryDeadlocks(() => migrateTables(kysely, 'postgres'))
  } finally {
    await kysely.destroy()
  }
}

function postgresPool(
  server: PostgresServer,
  { max, statementTimeoutMs }: { max: number; statementTimeoutMs: number | null },
) {
  const atStart = {
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    ...(statementTimeoutMs !== null && { statement_timeout: statementTimeoutMs }),
  }
  const pool = new pg.Pool({
    ...POSTGRES_LIVELINESS,
    Client: server.clientClass(),
    pipeline: true,
    max,
    ...(server.isPooler ? {} : atStart),
    ...(statementTimeoutMs !== null && {
      query_timeout: statementTimeoutMs + ANSWER_TIMEOUT_EXTRA_MS,
    }),
  })
  // The pool replaces a broken connection at its next use, and the failed statement reports the
  // error to its caller. Without these listeners the process would exit.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

export async function migrate(
  kysely: Kysely<Schema>,
  kind: Connections['kind'],
  databaseUrl?: string,
) {
  if (!(await isMigrated(kysely))) {
    await (databaseUrl === undefined ? migrateTables(kysely, kind) : migratePostgres(databaseUrl))
  }
  await kysely
    .insertInto('meta')
    .values([ALL_CHANGES, ACCOUNT_CHANGES].map((name) => ({ name, value: '0' })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

async function withChangeEvents(
  main: Connections,
  { forLedger, pools, close }: Pick<Database, 'forLedger' | 'pools' | 'close'>,
): Promise<Database> {
  const { kysely, transaction } = main
  const listeners = { all: new Set<() => unknown>(), ofSettings: new Set<() => unknown>() }
  let lastChanges = await readChanges(kysely)

  const notify = ({ ofAccounts }: { ofAccounts: boolean }) => {
    const targets = [...listeners.all, ...(ofAccounts ? [] : listeners.ofSettings)]
    return Promise.all(targets.map((listener) => listener()))
  }
  const announced =
    (announce: (tx: Tx) => { execute: () => Promise<unknown> }, of: { ofAccounts: boolean }) =>
    async <Result>(run: (tx: Tx) => Promise<Result>): Promise<Result> => {
      const result = await transaction(async (tx) => {
        const answer = await run(tx)
        await announce(tx).execute()
        return answer
      })
      await notify(of)
      return result
    }
  const stopPolling = poll(async () => {
    const now = await readChanges(kysely)
    if (now.all === lastChanges.all) return
    const ofAccounts = now.all - lastChanges.all === now.ofAccounts - lastChanges.ofAccounts
    const answers = await notify({ ofAccounts })
    if (!answers.includes(false)) lastChanges = now
  })

  return {
    ...main,
    forLedger,
    snapshot: (run) =>
      kysely
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute(run),
    change: announced(announceChange, { ofAccounts: false }),
    changeAccounts: announced(announceAccountChange, { ofAccounts: true }),
    onChange: (listener) => void listeners.all.add(listener),
    onSettingsChange: (listener) => void listeners.ofSettings.add(listener),
    pools,
    close: async () => {
      await stopPolling()
      await close()
    },
  }
}

/**
 * Never runs two polls at once. The returned function stops polling and waits for a running poll.
 */
function poll(check: () => Promise<void>): () => Promise<void> {
  let stopped = false
  let checking = Promise.resolve()
  let timer: NodeJS.Timeout
  const wait = () => {
    if (!stopped) timer = setTimeout(start, CHANGE_POLL_MS).unref()
  }
  const start = () => {
    // Callers that need the database report that it is unavailable.
    checking = check().then(wait, wait)
  }
  wait()
  return async () => {
    stopped = true
    clearTimeout(timer)
    await checking
  }
}

const ALL_CHANGES = 'changes'
const ACCOUNT_CHANGES = 'account_changes'

const countUp = (tx: Tx, names: readonly string[]) =>
  tx
    .updateTable('meta')
    .set({ value: sql<string>`cast(cast(value as bigint) + 1 as text)` })
    .where('name', 'in', names)

const announceChange = (tx: Tx) => countUp(tx, [ALL_CHANGES])

/** Makes every node drop its cached users and tokens, within a second of the commit. */
export const announceAccountChange = (tx: Tx) => countUp(tx, [ALL_CHANGES, ACCOUNT_CHANGES])

/** Counters of all changes and of changes to accounts only. */
async function readChanges(kysely: Kysely<Schema>): Promise<{ all: number; ofAccounts: number }> {
  const rows = await kysely
    .selectFrom('meta')
    .selectAll()
    .where('name', 'in', [ALL_CHANGES, ACCOUNT_CHANGES])
    .execute()
  const count = (wanted: string) => Number(rows.find(({ name }) => name === wanted)?.value)
  return { all: count(ALL_CHANGES), ofAccounts: count(ACCOUNT_CHANGES) }
}

function isDeadlock(error: unknown): boolean {
  return error instanceof Error && 'code' in error && DEADLOCK_CODES.has(String(error.code))
}
