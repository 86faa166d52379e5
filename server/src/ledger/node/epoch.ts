import type { Logger } from 'pino'
import type { LedgerDatabase, EpochState } from '../batch.ts'
import type { RunFiles } from '../journal/run-files.ts'
import type { JournalRecord } from '../record.ts'
import { PendingRecords } from './pending-records.ts'

export type EpochDeps = {
  database: LedgerDatabase
  /** Creates the folder, the lock and the journal of a new epoch. */
  openFiles: (run: string) => RunFiles
  label: string
  log: Pick<Logger, 'warn' | 'error'>
}

/** One epoch of this process: its files and the records the database does not have yet. */
export type Epoch = {
  readonly name: string
  readonly files: RunFiles
  readonly unapplied: PendingRecords
  /** Sequence number: how many batches of this epoch the database has applied. */
  beat: number
}

/** Upper bound on end records per transaction. */
export const ENDS_MAX = 1000

/**
 * Creates the folder before the row: recovery finds a folder without a row, but not a row without a
 * folder.
 */
export async function openEpoch({ database, label, openFiles }: EpochDeps): Promise<Epoch> {
  const name = database.newEpochName()
  const files = openFiles(name)
  try {
    await database.openEpoch(name, label)
  } catch (error) {
    await discard(files)
    throw error
  }
  return { name, files, unapplied: new PendingRecords(), beat: 0 }
}

async function discard({ journal }: RunFiles) {
  try {
    await journal.close()
    journal.remove()
  } catch {
    // Recovery closes an epoch whose folder has no row.
  }
}

/** Does not wait for the disk; callers that need durability wait for `journal.written()`. */
export function appendRecord({ unapplied, files }: Epoch, record: JournalRecord) {
  files.journal.append(record)
  unapplied.add(record.kind === 'end' ? record : null)
}

export const placeOf = ({ name, beat, unapplied }: Epoch) => ({
  run: name,
  beat,
  from: unapplied.position,
})

/** The database applied a batch of this epoch, up to the record `position`. */
export function advance(run: Epoch, position: number) {
  run.beat += 1
  forward(run, position)
}

function forward({ unapplied, files }: Epoch, position: number) {
  unapplied.forward(position)
  files.journal.applied(position)
}

/**
 * A machine restored from a snapshot is behind the database. Since then, the machine has given the
 * numbers of records the database knows to other records.
 */
export const isBehindDatabase = (
  { unapplied }: Epoch,
  { position }: Pick<EpochState, 'position'>,
) => position > unapplied.last

/**
 * Moves the epoch to the database's position, forward or back. Records the database lost are read
 * from the journal again.
 */
export async function setPosition(
  { database, log }: EpochDeps,
  run: Epoch,
  state: Pick<EpochState, 'position' | 'beat'>,
) {
  const { name, unapplied, files } = run
  const { position } = state
  run.beat = state.beat
  // Records that were applied before are recognized by their log rows.
  if (isBehindDatabase(run, state)) return unapplied.renumber(position)
  if (position >= unapplied.position) return forward(run, position)
  log.warn({ run: name, position }, 'the database is an older one; applying again')
  const { records, faults } = await files.readBack(position)
  const known = new Map(records.map(({ number, record }) => [number, record]))
  const lost = Array.from({ length: unapplied.position - position }, (_, index) => {
    const record = known.get(position + 1 + index)
    return record?.kind === 'end' ? record : null
  })
  unapplied.rewind(position, lost)
  await database.reportFaults(name, faults)
}

type Moved = { to: Epoch; requestIds: readonly string[] }

/**
 * Waits for the new journal to hold the requests. If the process dies in between, two journals name
 * a request, but never none.
 */
export async function journalMoves(old: Epoch, { to, requestIds }: Moved): Promise<void> {
  const isWritten = await to.files.journal.written().then(
    () => true,
    () => false,
  )
  if (!isWritten) return
  for (const requestId of requestIds) appendRecord(old, { kind: 'moved', requestId, run: to.name })
}

/**
 * Applies everything that is left of a closed epoch. Charges come from the available balance, since
 * the epoch has no leases any more.
 */
export async function finishEpoch(deps: EpochDeps, run: Epoch): Promise<void> {
  const { database, log } = deps
  const { name, unapplied, files } = run
  const find = async () =>
    setPosition(deps, run, (await database.readEpoch(name)) ?? { position: 0, beat: 0 })
  // Nothing else reveals what a database lost of an epoch it does not know.
  await find()
  while (unapplied.last > unapplied.position) {
    const { to, records } = unapplied.next(ENDS_MAX)
    const from = unapplied.position
    const outcome = await database.applyLate({ run: name, from, to, records })
    if (outcome.type === 'done') advance(run, to)
    else await find()
  }
  await database.closeEpoch({ run: name, type: 'finished', voids: [] })
  // The database has every record, so a disk failure while closing delays nothing.
  await files.journal.close().catch((error: unknown) => {
    log.error({ error, run: name }, 'the journal of a former run could not be closed')
  })
}
