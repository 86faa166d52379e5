import type { Logger } from 'pino'
import type { Database } from '../store/database.ts'
import { trimStoredItems } from '../store/stored-items.ts'
import { startPeriodic } from './periodic.ts'

export type TrimDeps = {
  database: Database
  log: Logger
  /** Epoch milliseconds. */
  now: () => number
}

const PAUSE_MS = 600_000
const FIRST_MS = 60_000
const MIB = 1024 * 1024

/** As stored: sealing makes a text a third longer. */
const STORED_BOUNDS = { userBytesMax: 64 * MIB, bytesMax: 1024 * MIB }

/** Deletes responses that have expired, and the oldest of users that store too much. */
export const startTrimmingStored = (deps: TrimDeps): { stop: () => Promise<void> } =>
  startPeriodic({
    run: () => trimStored(deps),
    pauseMs: PAUSE_MS,
    firstMs: FIRST_MS,
    log: deps.log,
    failure: 'stored responses that have expired cannot be deleted',
  })

export const trimStored = ({ database, now }: Omit<TrimDeps, 'log'>): Promise<void> =>
  trimStoredItems(database.kysely, { now: Math.floor(now() / 1000), ...STORED_BOUNDS })
