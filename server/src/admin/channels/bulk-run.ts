import { randomUUID } from 'node:crypto'
import { AppError, type BulkProgress } from '@tollgate/contract'
import { claimRun, findRun, type RunKind, saveRun } from '../../store/channel-runs.ts'
import { isDatabaseAway } from '../../store/failures.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'

export type BulkWork = {
  list: () => Promise<readonly number[]>
  /** False counts as failed. */
  each: (id: number, signal: AbortSignal) => Promise<boolean>
  finish?: (progress: BulkProgress) => Promise<void>
}

export type BulkRun = {
  /** Of whatever process is at it. */
  progress: () => Promise<BulkProgress>
  /** Goes through the channels in the background; throws while somebody is still at it. */
  start: (work: BulkWork) => Promise<void>
  /** Breaks off what is running here. */
  close: () => Promise<void>
}

type RunDeps = Pick<AdminDeps, 'database' | 'now' | 'log'>

const AT_ONCE = 4
/** One channel may take longer than a process may be silent. */
const BEAT_MS = 15_000
/** A process that says nothing for so long is over. */
const DEAD_SECONDS = 60
const BEFORE_THE_FIRST = {
  running: false,
  total: 0,
  done: 0,
  failed: 0,
  started_at: 0,
  ended_at: 0,
} satisfies BulkProgress

/** A kind of work over many channels, done once at a time over all processes. */
export function createBulkRun(deps: RunDeps, kind: RunKind): BulkRun {
  const { kysely } = deps.database
  const closing = new AbortController()
  let running: Promise<unknown> = Promise.resolve()

  const progress = async () => {
    const row = await findRun(kysely, kind)
    if (!row) return BEFORE_THE_FIRST
    const { ended_at, beat_at, ...counts } = row
    const isAlive = beat_at >= nowSeconds(deps) - DEAD_SECONDS
    if (ended_at === 0 && isAlive) return { ...counts, running: true, ended_at }
    return { ...counts, running: false, ended_at: ended_at || beat_at }
  }

  return {
    progress,
    start: async (work) => {
      const ids = await work.list()
      const [run, now] = [randomUUID(), nowSeconds(deps)]
      const claim = { total: ids.length, now, aliveSince: now - DEAD_SECONDS }
      if (!(await claimRun(kysely, { kind, run }, claim))) {
        const { done, total } = await progress()
        throw new AppError('bulk_run_active', { done, total })
      }
      const begun = { ...BEFORE_THE_FIRST, running: true, total: ids.length, started_at: now }
      const doing = doAll(deps, work, { claim: { kind, run }, ids, begun, closing: closing.signal })
      running = Promise.all([running, doing])
    },
    close: async () => {
      closing.abort()
      await running
    },
  }
}

type Begun = {
  claim: { kind: RunKind; run: string }
  ids: readonly number[]
  begun: BulkProgress
  closing: AbortSignal
}

async function doAll(deps: RunDeps, work: BulkWork, { claim, ids, begun, closing }: Begun) {
  const lost = new AbortController()
  const signal = AbortSignal.any([closing, lost.signal])
  const tell = outageTeller(deps)
  let progress = begun

  const write = async () => {
    const { done, failed, ended_at } = progress
    const state = { done, failed, ended_at, beat_at: nowSeconds(deps) }
    if (!(await saveRun(deps.database.kysely, claim, state))) lost.abort()
  }
  let writing = Promise.resolve()
  // One after the other, so that what is older never comes last.
  const save = () =>
    (writing = writing.then(write).catch((error: unknown) => {
      tell(error, 'the progress of a run over many channels could not be kept')
    }))

  const queue = ids.values()
  const worker = async () => {
    for (const id of queue) {
      if (signal.aborted) return
      const passed = await work.each(id, signal).catch((error: unknown) => {
        tell(error, `channel ${id} could not be worked on in a run over many`)
        return false
      })
      const { done, failed } = progress
      progress = { ...progress, done: done + 1, failed: failed + (passed ? 0 : 1) }
      await save()
    }
  }
  const beat = setInterval(() => void save(), BEAT_MS).unref()
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  clearInterval(beat)
  progress = { ...progress, running: false, ended_at: nowSeconds(deps) }
  await save()
  if (signal.aborted || work.finish === undefined) return
  await work.finish(progress).catch((error: unknown) => {
    deps.log.error({ error }, 'the end of a run over many channels could not be told')
  })
}

/** A database that is away is told once, what fails for itself each time. */
function outageTeller({ log }: RunDeps): (error: unknown, what: string) => void {
  let isOutageTold = false
  return (error, what) => {
    const isAway = isDatabaseAway(error)
    if (!isAway || !isOutageTold) log.error({ error }, what)
    isOutageTold = isAway
  }
}
