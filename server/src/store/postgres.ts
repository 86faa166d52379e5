import { Kysely, sql } from 'kysely'
import {
  type Connected,
  connectionsOf,
  type PoolUse,
  retryDeadlocks,
  type Tx,
} from './connections.ts'
import { migrateTables, withoutMigrationLock } from './migrate-tables.ts'
import { pg } from './pg.ts'
import { postgresDialect } from './postgres-dialect.ts'
import { POSTGRES_LIVELINESS, PostgresServer } from './postgres-server.ts'
import type { Schema } from './schema.ts'

export { PostgresServer } from './postgres-server.ts'

const POSTGRES_CONNECTIONS_MAX = 20
/** One connection for the batch; all other statements of the ledger are short. */
const LEDGER_CONNECTIONS_MAX = 3
const STATEMENT_TIMEOUT_MS = 30_000
/**
 * Added to the statement timeout on the client, for a server that does not even report that
 * timeout.
 */
const ANSWER_TIMEOUT_EXTRA_MS = 5000

export function connectPostgres(
  server: PostgresServer,
  statementTimeoutMs = STATEMENT_TIMEOUT_MS,
): Connected {
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

/**
 * Uses its own connections without a statement timeout: creating an index over many rows takes
 * long.
 */
export async function migratePostgres(databaseUrl: string) {
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
