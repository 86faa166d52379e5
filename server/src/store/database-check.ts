import { sql } from 'kysely'
import { type Clock, systemClock, within } from '../clock.ts'
import type { Database } from './database.ts'

const INTERVAL_MS = 1000
/** Kubernetes gives up on a probe after a second. */
const DEADLINE_MS = 700

export type DatabaseAnswer =
  | { answers: true; latencyMs: number }
  | { answers: false; error: unknown }

export type DatabaseCheck = () => Promise<DatabaseAnswer>

/**
 * Asks the database at most once a second, whatever the number of callers. Uses the ledger's
 * connections, which slow pages cannot exhaust, and one of them at most.
 */
export function createDatabaseCheck(
  { forLedger }: Pick<Database, 'forLedger'>,
  clock: Clock = systemClock,
): DatabaseCheck {
  let askedAt = -Infinity
  let isRunning = false
  let answer: Promise<DatabaseAnswer> | null = null

  const ask = async (): Promise<DatabaseAnswer> => {
    askedAt = clock.monotonic()
    isRunning = true
    const statement = sql`select 1`.execute(forLedger.kysely).finally(() => {
      isRunning = false
    })
    try {
      await within(clock, DEADLINE_MS, statement)
      return { answers: true, latencyMs: Math.round(clock.monotonic() - askedAt) }
    } catch (error) {
      return { answers: false, error }
    }
  }
  return () => {
    const isFresh = isRunning || clock.monotonic() - askedAt < INTERVAL_MS
    if (answer === null || !isFresh) answer = ask()
    return answer
  }
}
