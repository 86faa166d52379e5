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
const IDLE_MS_MAX = 30_000
/**
 * A batch holds the rows of its accounts, so a process that is suspended in the middle of a batch
 * blocks all other nodes. The limit is below the 12 s that an answer waits for its charge.
 */
const LEDGER_IDLE_MS_MAX = 10_000
/**
 * Added to the statement timeout on the client, for a server that does not even report that
 * timeout.
 */
const ANSWER_TIMEOUT_EXTRA_MS = 5000

export function connectPostgres(
  server: PostgresServer,
  statementTimeoutMs = STATEMENT_TIMEOUT_MS,
): Connected {
  const limits = { statementTimeoutMs, idleMs: IDLE_MS_MAX }
  const ledgerLimits = { statementTimeoutMs, idleMs: LEDGER_IDLE_MS_MAX }
  const main = postgresPool(server, { max: POSTGRES_CONNECTIONS_MAX, ...limits })
  const ledger = postgresPool(server, { max: LEDGER_CONNECTIONS_MAX, ...ledgerLimits })
  const ofTransaction = server.isPooler ? limitTransaction : () => undefined
  return {
    main: connectionsOf('postgres', postgresDialect(main), ofTransaction(limits)),
    forLedger: connectionsOf(
      'postgres',
      postgresDialect(ledger, { prepares: true }),
      ofTransaction(ledgerLimits),
    ),
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

type Limits<Statement = number> = {
  readonly statementTimeoutMs: Statement
  /** How long a transaction may wait for its next statement. */
  readonly idleMs: number
}

/** A pooler lends its connections, so limits hold for a transaction only. */
const limitTransaction =
  ({ statementTimeoutMs, idleMs }: Limits) =>
  (tx: Tx) =>
    sql`select set_config('statement_timeout', ${String(statementTimeoutMs)}, true),
      set_config('idle_in_transaction_session_timeout', ${String(idleMs)}, true)`.execute(tx)

/**
 * Uses its own connections without a statement timeout: creating an index over many rows takes
 * long.
 */
export async function migratePostgres(databaseUrl: string) {
  const limits = { max: POSTGRES_CONNECTIONS_MAX, statementTimeoutMs: null, idleMs: IDLE_MS_MAX }
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
  { max, statementTimeoutMs, idleMs }: Limits<number | null> & { max: number },
) {
  const atStart = {
    idle_in_transaction_session_timeout: idleMs,
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
