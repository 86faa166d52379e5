import { join } from 'node:path'
import type { Logger } from 'pino'
import { END_REASON, type Seconds } from '@tollgate/contract'
import type { Clock, Timer } from '../../clock.ts'
import type { LedgerDatabase, EpochState } from '../batch.ts'
import type { Disk } from '../journal/disk.ts'
import { KEPT_MS } from '../journal/file-chain.ts'
import type { ReadJournal } from '../journal/journal.ts'
import { listEpochs, readJournal } from '../journal/reader.ts'
import { createRecord, type EndRecord, type OpenRecord, unanswered } from '../record.ts'

type Deps = {
  database: LedgerDatabase
  disk: Disk
  folder: string
  clock: Clock
  /** Epochs whose journals were found to be fully applied. */
  applied: Map<string, Applied>
}

type Applied = {
  /** Monotonic clock, in milliseconds. */
  since: number
  /** Wall clock of the machine that finished the epoch; only used to find the oldest epochs. */
  finishedAt: Seconds
}

const RECORDS_MAX = 1000
const ATTEMPTS_MAX = 10
/** A process that crashes repeatedly leaves a journal each time, and each start reads them all. */
const KEPT_EPOCHS_MAX = 50

/**
 * Finishes epochs whose process is gone: applies their journals, voids requests that never ended
 * and returns their leases. May be repeated, and interrupted anywhere. A failure in one epoch does
 * not stop the others; the first error is thrown at the end.
 */
export async function recoverEpochs(deps: Deps): Promise<void> {
  const errors: unknown[] = []
  for (const epoch of listEpochs(deps.disk, deps.folder)) {
    await recoverUnlocked(deps, epoch).catch((error: unknown) => errors.push(error))
  }
  removeOldest(deps)
  if (errors.length > 0) throw errors[0]
}

/** Skips an epoch whose process is alive, which holds the lock. */
async function recoverUnlocked(deps: Deps, epoch: string) {
  const { disk, folder, applied } = deps
  const path = join(folder, epoch)
  const lock = disk.lock(path)
  if (lock === null) return
  try {
    const isNeeded = await recoverEpoch(deps, epoch)
    if (isNeeded) return
    disk.removeFolder(path)
    applied.delete(epoch)
  } finally {
    lock.release()
  }
}

function removeOldest({ disk, folder, applied }: Deps) {
  const newestFirst = [...applied].toSorted(([, a], [, b]) => b.finishedAt - a.finishedAt)
  for (const [epoch] of newestFirst.slice(KEPT_EPOCHS_MAX)) {
    const path = join(folder, epoch)
    const lock = disk.lock(path)
    if (lock === null) continue
    disk.removeFolder(path)
    applied.delete(epoch)
    lock.release()
  }
}

const SHARED_PAUSE_MS = 1000

type RecoveryLoop = {
  /** Whether other processes, which may die, have epochs in this folder. */
  isShared: boolean
  log: Pick<Logger, 'warn'>
}

/**
 * Repeats the recovery: every second if the folder is shared, otherwise every ten minutes to remove
 * old journals. Returns a function that stops the repetition.
 */
export function startRecoveryLoop(deps: Deps, { isShared, log }: RecoveryLoop): () => void {
  const pauseMs = isShared ? SHARED_PAUSE_MS : KEPT_MS
  let timer: Timer | undefined
  let isStopped = false
  let isFailing = false
  const wait = () => {
    if (isStopped) return
    timer = deps.clock.after(pauseMs, () => {
      recoverEpochs(deps).then(
        () => {
          isFailing = false
          wait()
        },
        (error: unknown) => {
          if (!isFailing)
            log.warn({ error }, 'an epoch that is over could not be recovered; trying again')
          isFailing = true
          wait()
        },
      )
    })
  }
  wait()
  return () => {
    isStopped = true
    timer?.close()
  }
}

/** False for an epoch that finished long ago and whose journal is no longer needed. */
async function recoverEpoch(deps: Deps, epoch: string): Promise<boolean> {
  const { database, disk, folder, clock, applied } = deps
  const since = applied.get(epoch)?.since
  if (since !== undefined && clock.monotonic() - since < KEPT_MS) return true
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const state = await database.readEpoch(epoch)
    const position = state?.position ?? 0
    const journal = await readJournal({ disk, folder: join(folder, epoch), epoch, position, clock })
    // A process with a copy of the folder may have finished the epoch with only the records written
    // by then.
    const isFinished = state !== null && state.finishedAt !== null
    const isKnown = since !== undefined || journal.open.length === 0
    const isApplied = isFinished && isKnown && journal.records.length === 0
    if (isApplied && since !== undefined) return false
    const nowSeconds = Math.floor(clock.now() / 1000)
    if (!isApplied && !(await applyAll(database, { epoch, journal, state }))) continue
    applied.set(epoch, { since: clock.monotonic(), finishedAt: state?.finishedAt ?? nowSeconds })
    return true
  }
  throw new Error(`other processes keep advancing epoch ${epoch}`)
}

const RECOVERED_ONLY = { releases: [], leaseRequests: [], isRecovered: true } as const

type UnappliedEpoch = { epoch: string; journal: ReadJournal; state: EpochState | null }

/** False if another process advanced the epoch in the meantime. */
async function applyAll(
  database: LedgerDatabase,
  { epoch, journal, state }: UnappliedEpoch,
): Promise<boolean> {
  const isOver = state === null || state.isClosed
  let { position: from, sequence } = state ?? { position: 0, sequence: 0 }
  for (const { to, records } of batchesOf(journal)) {
    const outcome = isOver
      ? await database.applyLate({ epoch, from, to, records })
      : await database.applyBatch({ epoch, sequence, from, to, records, ...RECOVERED_ONLY })
    if (outcome.type !== 'done') return false
    from = to
    sequence += 1
  }
  await database.reportFaults(epoch, journal.faults)
  const voids = journal.open.map(interrupted)
  await database.closeEpoch({ epoch, type: 'finished', voids })
  return true
}

function* batchesOf({ records }: ReadJournal) {
  for (let start = 0; start < records.length; start += RECORDS_MAX) {
    const batch = records.slice(start, start + RECORDS_MAX)
    const ends = batch.flatMap(({ record }) => (record.kind === 'end' ? [record] : []))
    yield { to: batch.at(-1)?.number ?? 0, records: ends }
  }
}

/**
 * Dates the end at the time the request was opened, whatever this machine's clock says. The log row
 * is then in the partition in which a later end by the request's owner looks for it.
 */
const interrupted = ({ context }: OpenRecord): EndRecord =>
  createRecord(context, unanswered(END_REASON.interrupted), {
    at: context.openedAt,
    held: 0,
    parts: [],
  })
