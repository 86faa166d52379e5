import { type Dialect, Kysely, type Transaction } from 'kysely'
import type { Schema } from './schema.ts'

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

/** The connections of a database, before it is checked and migrated. */
export type Connected = {
  readonly main: Connections
  /** The same as `main` if the ledger has no connections of its own. */
  readonly forLedger: Connections
  readonly pools: () => readonly PoolUse[]
}

const DEADLOCK_RETRIES = 5
/** PostgreSQL codes serialization_failure and deadlock_detected. */
const DEADLOCK_CODES = new Set(['40001', '40P01'])

export function connectionsOf(
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

export async function retryDeadlocks<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let retries = 0; ; retries++) {
    try {
      return await run()
    } catch (error) {
      if (!isDeadlock(error) || retries >= DEADLOCK_RETRIES) throw error
    }
  }
}

function isDeadlock(error: unknown): boolean {
  return error instanceof Error && 'code' in error && DEADLOCK_CODES.has(String(error.code))
}
