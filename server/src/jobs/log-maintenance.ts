import type { Logger } from 'pino'
import type { Seconds } from '@tollgate/contract'
import type { Settings } from '../settings/settings.ts'
import { deleteFaultsBefore } from '../store/channel-traffic.ts'
import { secondsAhead } from '../store/clock.ts'
import type { Database } from '../store/database.ts'
import { deleteLogsBefore } from '../store/delete-logs.ts'
import { moveImportedLogs } from '../store/imported-logs.ts'
import { addLogMonths } from '../store/log-partitions.ts'
import { startPeriodic } from './periodic.ts'

export type LogMaintenanceDeps = {
  database: Database
  settings: Pick<Settings, 'current'>
  log: Logger
  /** Epoch milliseconds. */
  now: () => number
}

const CHECK_INTERVAL_MS = 600_000
const SECONDS_PER_HOUR = 3600
const SECONDS_PER_DAY = 86_400
/** The page of a channel shows the errors of seven days. */
const FAULT_HOURS = 8 * 24
const CROWDED =
  'the log has no partition for this month, as logs_default has too many rows: move them by hand, as docs/operate/troubleshoot.md says'

/**
 * Creates the log's partitions for the coming months and deletes log rows above the retention time.
 */
export const startLogMaintenance = (deps: LogMaintenanceDeps): { stop: () => Promise<void> } =>
  startPeriodic({
    run: createLogMaintenance(deps),
    pauseMs: CHECK_INTERVAL_MS,
    firstMs: 0,
    log: deps.log,
    failure: 'log partitions cannot be created, or old log rows not deleted',
  })

/** A round does all parts, even if the first ones fail. */
export function createLogMaintenance(
  deps: LogMaintenanceDeps,
): (signal: AbortSignal) => Promise<void> {
  const { database, now } = deps
  const warnedMonths = new Set<Seconds>()
  return async (signal) => {
    // Corrects a clock that is ahead of the database's, so that rows are not deleted early.
    const ahead = await secondsAhead(database, now)
    const seconds = Math.floor(now() / 1000) - Math.max(0, ahead)
    const [added] = await Promise.allSettled([addMonths(deps, { seconds, told: warnedMonths })])
    const [moved] = await Promise.allSettled([moveImported(database, signal)])
    await deleteOld(deps, { seconds, signal })
    await deleteFaultsBefore(database.kysely, Math.floor(seconds / SECONDS_PER_HOUR) - FAULT_HOURS)
    for (const part of [added, moved]) if (part.status === 'rejected') throw part.reason
  }
}

async function addMonths(
  { database, log }: LogMaintenanceDeps,
  { seconds, told }: { seconds: Seconds; told: Set<Seconds> },
): Promise<void> {
  if (database.kind === 'sqlite') return
  const start = await addLogMonths(database, seconds, told)
  if (start === null) return
  told.add(start)
  const month = new Date(start * 1000).toISOString().slice(0, 'yyyy-mm'.length)
  log.warn({ month }, CROWDED)
}

/** An import that was killed leaves its rows outside of the log. */
async function moveImported(database: Database, signal: AbortSignal): Promise<void> {
  if (database.kind === 'postgres') await moveImportedLogs(database, signal)
}

async function deleteOld(
  { database, settings, log }: LogMaintenanceDeps,
  { seconds, signal }: { seconds: Seconds; signal: AbortSignal },
): Promise<void> {
  const { LogRetentionDays: days } = settings.current()
  if (days === 0) return
  const hour = seconds - (seconds % SECONDS_PER_HOUR)
  const count = await deleteLogsBefore(database, hour - days * SECONDS_PER_DAY, signal)
  if (count > 0) log.info({ count }, 'old log rows were deleted')
}
