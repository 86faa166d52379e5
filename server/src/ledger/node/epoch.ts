import type { Logger } from 'pino'
import type { LedgerDatabase, EpochState } from '../batch.ts'
import type { EpochFiles } from '../journal/epoch-files.ts'
import type { JournalRecord } from '../record.ts'
import { PendingRecords } from './pending-records.ts'

export type EpochDeps = {
  database: LedgerDatabase
  /** Creates the folder, the lock and the journal of a new epoch. */
  openFiles: (epoch: string) => EpochFiles
  label: string
  log: Pick<Logger, 'warn' | 'error'>
}

/** One epoch of this process: its files and the records the database does not have yet. */
export type Epoch = {
  readonly name: string
  readonly files: EpochFiles
  readonly pending: PendingRecords
  /** Sequence number: how many batches of this epoch the database has applied. */
  sequence: number
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
  return { name, files, pending: new PendingRecords(), sequence: 0 }
}

async function discard({ journal }: EpochFiles) {
  try {
    await journal.close()
    journal.remove()
  } catch {
    // Recovery closes an epoch whose folder has no row.
  }
}

/** Does not wait for the disk; callers that need durability wait for `journal.written()`. */
export function appendRecord({ pending, files }: Epoch, record: JournalRecord) {
  files.journal.append(record)
  pending.add(record.kind === 'end' ? record : null)
}

export const epochPosition = ({ name, sequence, pending }: Epoch) => ({
  epoch: name,
  sequence,
  from: pending.position,
})

/** The database applied a batch of this epoch, up to the record `position`. */
export function advance(epoch: Epoch, position: number) {
  epoch.sequence += 1
  forward(epoch, position)
}

function forward({ pending, files }: Epoch, position: number) {
  pending.forward(position)
  files.journal.markApplied(position)
}

/**
 * A machine restored from a snapshot is behind the database. Since then, the machine has given the
 * numbers of records the database knows to other records.
 */
export const isBehindDatabase = ({ pending }: Epoch, { position }: Pick<EpochState, 'position'>) =>
  position > pending.last

/**
 * Moves the epoch to the database's position, forward or back. Records the database lost are read
 * from the journal again.
 */
export async function setPosition(
  { database, log }: EpochDeps,
  epoch: Epoch,
  state: Pick<EpochState, 'position' | 'sequence'>,
) {
  const { name, pending, files } = epoch
  const { position } = state
  epoch.sequence = state.sequence
  // Records that were applied before are recognized by their log rows.
  if (isBehindDatabase(epoch, state)) return pending.renumber(position)
  if (position >= pending.position) return forward(epoch, position)
  log.warn(
    { epoch: name, position },
    'the database was restored to an older state; applying lost records again',
  )
  const { records, faults } = await files.readBack(position)
  const known = new Map(records.map(({ number, record }) => [number, record]))
  const lost = Array.from({ length: pending.position - position }, (_, index) => {
    const record = known.get(position + 1 + index)
    return record?.kind === 'end' ? record : null
  })
  pending.rewind(position, lost)
  await database.reportFaults(name, faults)
}

type Moves = { to: Epoch; requestIds: readonly string[] }

/**
 * Waits for the new journal to hold the requests. If the process dies in between, two journals name
 * a request, but never none.
 */
export async function journalMoves(old: Epoch, { to, requestIds }: Moves): Promise<void> {
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
export async function finishEpoch(deps: EpochDeps, epoch: Epoch): Promise<void> {
  const { database, log } = deps
  const { name, pending, files } = epoch
  const findPosition = async () =>
    setPosition(deps, epoch, (await database.readEpoch(name)) ?? { position: 0, sequence: 0 })
  // A restored database may not know the epoch. Only this read shows what it lost.
  await findPosition()
  while (pending.last > pending.position) {
    const { to, records } = pending.next(ENDS_MAX)
    const from = pending.position
    const outcome = await database.applyLate({ epoch: name, from, to, records })
    if (outcome.type === 'done') advance(epoch, to)
    else await findPosition()
  }
  await database.closeEpoch({ epoch: name, type: 'finished', voids: [] })
  // The database has every record, so a disk failure while closing delays nothing.
  await files.journal.close().catch((error: unknown) => {
    log.error({ error, epoch: name }, 'the journal of a retired epoch could not be closed')
  })
}
