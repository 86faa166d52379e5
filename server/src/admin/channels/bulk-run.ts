import { AppError, type BulkProgress } from '@tollgate/contract'
import { isDatabaseAway } from '../../store/failures.ts'
import type { AdminDeps } from '../deps.ts'

export type BulkWork = {
  list: () => Promise<readonly number[]>
  /** False counts as failed. */
  each: (id: number, signal: AbortSignal) => Promise<boolean>
  finish?: (progress: BulkProgress) => Promise<void>
}

export type BulkRun = {
  progress: () => BulkProgress
  /** Goes through the channels in the background; throws while it is still at it. */
  start: (work: BulkWork) => Promise<void>
  /** Breaks off what is running. */
  close: () => Promise<void>
}

const AT_ONCE = 4
const BEFORE_THE_FIRST = {
  running: false,
  total: 0,
  done: 0,
  failed: 0,
  started_at: 0,
  ended_at: 0,
} satisfies BulkProgress

/** A kind of work over many channels, done once at a time. */
export function createBulkRun({ now, log }: Pick<AdminDeps, 'now' | 'log'>): BulkRun {
  const closing = new AbortController()
  const { signal } = closing
  const seconds = () => Math.floor(now() / 1000)
  let progress: BulkProgress = BEFORE_THE_FIRST
  let running = Promise.resolve()
  let isOutageTold = false

  const tell = (error: unknown, channel: number) => {
    const isAway = isDatabaseAway(error)
    if (isAway && isOutageTold) return
    isOutageTold = isAway
    log.error({ error, channel }, 'a channel could not be worked on in a run over many')
  }

  const doOne = async (id: number, { each }: BulkWork) => {
    let passed = false
    try {
      passed = await each(id, signal)
    } catch (error) {
      tell(error, id)
    }
    const { done, failed } = progress
    progress = { ...progress, done: done + 1, failed: failed + (passed ? 0 : 1) }
  }

  const doAll = async (ids: readonly number[], work: BulkWork) => {
    isOutageTold = false
    const queue = ids.values()
    const worker = async () => {
      for (const id of queue) {
        if (signal.aborted) return
        await doOne(id, work)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
    progress = { ...progress, running: false, ended_at: seconds() }
    if (signal.aborted || work.finish === undefined) return
    await work.finish(progress).catch((error: unknown) => {
      log.error({ error }, 'the end of a run over many channels could not be told')
    })
  }

  return {
    progress: () => progress,
    start: async (work) => {
      const { done, total } = progress
      if (progress.running) throw new AppError('bulk_run_active', { done, total })
      const before = progress
      progress = { ...BEFORE_THE_FIRST, running: true, started_at: seconds() }
      try {
        const ids = await work.list()
        progress = { ...progress, total: ids.length }
        running = doAll(ids, work)
      } catch (error) {
        progress = before
        throw error
      }
    },
    close: async () => {
      closing.abort()
      await running
    },
  }
}
