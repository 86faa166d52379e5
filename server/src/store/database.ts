import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import {
  type Connected,
  type Connections,
  connectionsOf,
  type PoolUse,
  type Tx,
} from './connections.ts'
import { isMigrated, migrateTables } from './migrate-tables.ts'
import type { Schema } from './schema.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import type { StartSqlite } from './sqlite-thread.ts'

export type { Connections, PoolUse, Tx } from './connections.ts'

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

const CHANGE_POLL_MS = 500
const OTHER_TABLES = 'its tables are not those of this version; a start of the server updates them'

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
  const { databaseUrl, statementTimeoutMs } = options
  if (databaseUrl === undefined) {
    return openConnected(connectSqlite(options.dataDir, options.startSqlite), options)
  }
  // The client library is loaded only for PostgreSQL.
  const { connectPostgres, PostgresServer } = await import('./postgres.ts')
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

function connectSqlite(dataDir: string, startSqlite: StartSqlite | undefined): Connected {
  const main = connectionsOf('sqlite', sqliteDialect(join(dataDir, SQLITE_FILE), startSqlite))
  return { main, forLedger: main, pools: () => [] }
}

export async function migrate(
  kysely: Kysely<Schema>,
  kind: Connections['kind'],
  databaseUrl?: string,
) {
  if (!(await isMigrated(kysely))) {
    if (databaseUrl === undefined) await migrateTables(kysely, kind)
    else await (await import('./postgres.ts')).migratePostgres(databaseUrl)
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
