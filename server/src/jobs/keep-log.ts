import type { Logger } from 'pino'
import type { Seconds } from '@tollgate/contract'
import type { Settings } from '../settings/settings.ts'
import { secondsAhead } from '../store/clock.ts'
import type { Database } from '../store/database.ts'
import { deleteLogsBefore } from '../store/delete-logs.ts'
import { addLogMonths } from '../store/log-partitions.ts'
import { startRounds } from './rounds.ts'

export type KeepLogDeps = {
  database: Database
  settings: Pick<Settings, 'current'>
  log: Logger
  /** Epoch milliseconds. */
  now: () => number
}

const LOOK_MS = 600_000
const SECONDS_PER_HOUR = 3600
const SECONDS_PER_DAY = 86_400

/** Makes place for the months to come, and deletes log rows that are older than the options say. */
export const startKeepingLog = (deps: KeepLogDeps): { stop: () => Promise<void> } =>
  startRounds({
    round: (signal) => keepLog(deps, signal),
    pauseMs: LOOK_MS,
    firstMs: 0,
    log: deps.log,
    failure: 'the months of the log cannot be made, or old ones not deleted',
  })

/** One round, in which each part is done whatever becomes of the other. */
export async function keepLog(deps: KeepLogDeps, signal: AbortSignal): Promise<void> {
  const { database, now } = deps
  // A clock that is ahead of the database's deletes nothing before its time.
  const ahead = await secondsAhead(database, now)
  const seconds = Math.floor(now() / 1000) - Math.max(0, ahead)
  const [made] = await Promise.allSettled([
    database.kind === 'postgres' ? addLogMonths(database, seconds) : undefined,
  ])
  await deleteOld(deps, { seconds, signal })
  if (made.status === 'rejected') throw made.reason
}

async function deleteOld(
  { database, settings, log }: KeepLogDeps,
  { seconds, signal }: { seconds: Seconds; signal: AbortSignal },
): Promise<void> {
  const { LogRetentionDays: days } = settings.current()
  if (days === 0) return
  const hour = seconds - (seconds % SECONDS_PER_HOUR)
  const count = await deleteLogsBefore(database, hour - days * SECONDS_PER_DAY, signal)
  if (count > 0) log.info({ count }, 'old log rows were deleted')
}
