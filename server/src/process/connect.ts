import type { Logger } from 'pino'
import { type Clock, sleep, systemClock } from '../clock.ts'
import { type Database, openDatabase, SQLITE_FILE } from '../store/database.ts'
import { isDatabaseAway } from '../store/failures.ts'
import { lacksItsWal } from '../store/sqlite-file.ts'
import { ConfigurationError, type Env } from './env.ts'

const PAUSE_MS = 1000

type ConnectDeps = {
  env: Pick<Env, 'DATABASE_URL' | 'DATA_DIR' | 'DATABASE_WAIT_SECONDS'>
  log: Pick<Logger, 'warn'>
  clock?: Clock
}

/**
 * Opens the database. Waits for a PostgreSQL server that does not answer yet, as after a reboot of
 * the machine. A server that refuses the user or the database ends the start at once.
 */
export async function connect({ env, log, clock = systemClock }: ConnectDeps): Promise<Database> {
  const { DATABASE_URL: databaseUrl, DATA_DIR: dataDir, DATABASE_WAIT_SECONDS: seconds } = env
  if (databaseUrl === undefined) assertComplete(dataDir)
  const deadline = clock.monotonic() + seconds * 1000
  for (let isWaiting = false; ; isWaiting = true) {
    try {
      const database = await openDatabase({ databaseUrl, dataDir })
      if (isWaiting) log.warn('the database answers; the start continues')
      return database
    } catch (error) {
      const reason = reasonOf(error)
      const mayAnswerLater = databaseUrl !== undefined && isDatabaseAway(error)
      if (!mayAnswerLater || clock.monotonic() >= deadline) {
        const variable = databaseUrl === undefined ? 'DATA_DIR' : 'DATABASE_URL'
        throw new ConfigurationError(`${variable}: the database cannot be opened: ${reason}.`)
      }
      if (!isWaiting) {
        log.warn(`the database does not answer: ${reason}; the start waits up to ${seconds} s`)
      }
    }
    await sleep(clock, PAUSE_MS)
  }
}

function assertComplete(dataDir: string) {
  if (!isWithoutWal(dataDir)) return
  throw new ConfigurationError(
    `DATA_DIR ${dataDir}: ${SQLITE_FILE} has no tables and no ${SQLITE_FILE}-wal. Copy that file too, or restore a backup; delete ${SQLITE_FILE} to begin anew.`,
  )
}

function isWithoutWal(dataDir: string): boolean {
  try {
    return lacksItsWal(dataDir)
  } catch (error) {
    throw new ConfigurationError(
      `DATA_DIR ${dataDir}: ${SQLITE_FILE} cannot be opened: ${reasonOf(error)}; restore a backup.`,
    )
  }
}

/** A host with several addresses fails with an error for all of them, which has no message. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  return error.message || code
}
