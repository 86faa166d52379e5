import { randomUUID } from 'node:crypto'
import { AppError, type BulkProgress } from '@tollgate/contract'
import { claimRun, findRun, type RunKind, saveRun } from '../../store/channel-runs.ts'
import { databaseClock } from '../../store/clock.ts'
import { isDatabaseAway } from '../../store/failures.ts'
import type { AdminDeps } from '../deps.ts'

export type BulkWork = {
  list: () => Promise<readonly number[]>
  /** False counts as failed. */
  each: (id: number, signal: AbortSignal) => Promise<boolean>
  finish?: (outcome: { total: number; failed: number; seconds: number }) => Promise<void>
}

export type BulkRun = {
  /** Progress of the run, whichever process executes it. */
  progress: () => Promise<BulkProgress>
  /** Processes the channels in the background. Throws `bulk_run_active` while a run is active. */
  start: (work: BulkWork) => Promise<void>
  /** Aborts the runs of this process. */
  close: () => Promise<void>
}

type RunDeps = Pick<AdminDeps, 'database' | 'now' | 'log'>

const CONCURRENCY = 4
/**
 * Heartbeat interval; needed because a single channel may take longer than `SILENT_SECONDS_MAX`.
 */
const HEARTBEAT_MS = 15_000
/** A process without a heartbeat for this long counts as dead. */
const SILENT_SECONDS_MAX = 60
const NO_RUN = {
  running: false,
  total: 0,
  done: 0,
  failed: 0,
  started_at: 0,
  ended_at: 0,
} satisfies BulkProgress

/** A kind of work over many channels. Only one run is active at a time, across all processes. */
export function createBulkRun(deps: RunDeps, kind: RunKind): BulkRun {
  const { kysely } = deps.database
  const closing = new AbortController()
  let running: Promise<unknown> = Promise.resolve()

  const progress = async () => {
    const row = await findRun(kysely, kind, databaseClock(deps))
    if (!row) return NO_RUN
    const { ended_at, beat_at, silentSeconds, ...counts } = row
    const running = ended_at === 0 && silentSeconds <= SILENT_SECONDS_MAX
    return { ...counts, running, ended_at: running ? 0 : ended_at || beat_at }
  }

  return {
    progress,
    start: async (work) => {
      const ids = await work.list()
      const claim = { kind, run: randomUUID() }
      const now = databaseClock(deps)
      const startedRun = { total: ids.length, now, silentSecondsMax: SILENT_SECONDS_MAX }
      if (!(await claimRun(kysely, claim, startedRun))) {
        const { done, total } = await progress()
        throw new AppError('bulk_run_active', { done, total })
      }
      const processing = processAll(deps, work, { claim, ids, closing: closing.signal })
      running = Promise.all([running, processing])
    },
    close: async () => {
      closing.abort()
      await running
    },
  }
}

type RunInput = {
  claim: { kind: RunKind; run: string }
  ids: readonly number[]
  closing: AbortSignal
}

async function processAll(deps: RunDeps, work: BulkWork, { claim, ids, closing }: RunInput) {
  const lost = new AbortController()
  const signal = AbortSignal.any([closing, lost.signal])
  const logFailure = createFailureLogger(deps)
  const startedAt = deps.now()
  let state = { done: 0, failed: 0, isOver: false }

  const write = async () => {
    const now = databaseClock(deps)
    if (!(await saveRun(deps.database.kysely, claim, { ...state, now }))) lost.abort()
  }
  let writing = Promise.resolve()
  // Writes are sequential, so that an older state never overwrites a newer one.
  const save = () =>
    (writing = writing.then(write).catch((error: unknown) => {
      logFailure(error, 'the progress of a run over many channels could not be kept')
    }))

  const runOne = async (id: number) => {
    try {
      return await work.each(id, signal)
    } catch (error) {
      logFailure(error, `channel ${id} could not be worked on in a run over many`)
      return false
    }
  }
  const queue = ids.values()
  const worker = async () => {
    for (const id of queue) {
      if (signal.aborted) return
      const passed = await runOne(id)
      const { done, failed } = state
      state = { ...state, done: done + 1, failed: failed + (passed ? 0 : 1) }
      await save()
    }
  }
  const report = async () => {
    const seconds = Math.floor((deps.now() - startedAt) / 1000)
    try {
      await work.finish?.({ total: ids.length, failed: state.failed, seconds })
    } catch (error) {
      deps.log.error({ error }, 'a finished run over many channels could not be reported')
    }
  }
  const heartbeat = setInterval(() => void save(), HEARTBEAT_MS).unref()
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  clearInterval(heartbeat)
  if (!signal.aborted) await report()
  state = { ...state, isOver: true }
  await save()
}

/** Logs a database outage once, and every other failure each time. */
function createFailureLogger({ log }: RunDeps): (error: unknown, what: string) => void {
  let isOutageLogged = false
  return (error, what) => {
    const isAway = isDatabaseAway(error)
    if (!isAway || !isOutageLogged) log.error({ error }, what)
    isOutageLogged = isAway
  }
}
