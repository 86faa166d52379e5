import type { Logger } from 'pino'
import type { LedgerDatabase, EpochState } from '../batch.ts'
import type { RunFiles } from '../journal/run-files.ts'
import type { JournalRecord } from '../record.ts'
import { PendingRecords } from './pending-records.ts'

export type EpochDeps = {
  database: LedgerDatabase
  /** Makes the folder, the lock and the journal of a new run. */
  openFiles: (run: string) => RunFiles
  /** What operators call this machine. */
  label: string
  log: Pick<Logger, 'warn' | 'error'>
}

/** A run of this process: its files, and what the database has not got of it. */
export type Epoch = {
  readonly name: string
  readonly files: RunFiles
  readonly unapplied: PendingRecords
  /** How many turns of it the database has done. */
  beat: number
}

/** Ends that go into one transaction. */
export const ENDS_MAX = 1000

/** Its folder comes first: the next start finds a folder without a row, but not a row without a folder. */
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
    // Whoever finds the folder closes a run of which nobody knows.
  }
}

/** Whoever needs it on the disk waits for the journal. */
export function appendRecord({ unapplied, files }: Epoch, record: JournalRecord) {
  files.journal.append(record)
  unapplied.add(record.kind === 'end' ? record : null)
}

/** Where its next turn begins. */
export const placeOf = ({ name, beat, unapplied }: Epoch) => ({
  run: name,
  beat,
  from: unapplied.position,
})

/** The database has done a turn of it, and has all up to this number. */
export function advance(run: Epoch, position: number) {
  run.beat += 1
  forward(run, position)
}

function forward({ unapplied, files }: Epoch, position: number) {
  unapplied.forward(position)
  files.journal.applied(position)
}

/**
 * A machine that was put back to a snapshot knows less of its run than the database, and has given the numbers
 * that it does not know of to other records.
 */
export const isBehindDatabase = (
  { unapplied }: Epoch,
  { position }: Pick<EpochState, 'position'>,
) => position > unapplied.last

/** Goes to where the database says the run is, forward or back: what it has lost is read again. */
export async function setPosition(
  { database, log }: EpochDeps,
  run: Epoch,
  state: Pick<EpochState, 'position' | 'beat'>,
) {
  const { name, unapplied, files } = run
  const { position } = state
  run.beat = state.beat
  // What was applied before is found by its row in the log.
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

/** Once the other journal has them: when this process dies two journals may know of a request, but one does. */
export async function journalMoves(old: Epoch, { to, requestIds }: Moved): Promise<void> {
  const isWritten = await to.files.journal.written().then(
    () => true,
    () => false,
  )
  if (!isWritten) return
  for (const requestId of requestIds) appendRecord(old, { kind: 'moved', requestId, run: to.name })
}

/** Charges what a run that was closed still has to say to what is available, until there is nothing. */
export async function finishEpoch(deps: EpochDeps, run: Epoch): Promise<void> {
  const { database, log } = deps
  const { name, unapplied, files } = run
  const find = async () =>
    setPosition(deps, run, (await database.readEpoch(name)) ?? { position: 0, beat: 0 })
  // What a database has lost of a run that it does not know is told by nothing else.
  await find()
  while (unapplied.last > unapplied.position) {
    const { to, records } = unapplied.next(ENDS_MAX)
    const from = unapplied.position
    const outcome = await database.applyLate({ run: name, from, to, records })
    if (outcome.type === 'done') advance(run, to)
    else await find()
  }
  await database.closeEpoch({ run: name, type: 'finished', voids: [] })
  // The database has all of it: what its disk cannot keep any more holds up nothing.
  await files.journal.close().catch((error: unknown) => {
    log.error({ error, run: name }, 'the journal of a former run could not be closed')
  })
}
