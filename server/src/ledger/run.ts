import type { Logger } from 'pino'
import type { RunFiles } from './journal/run-files.ts'
import type { Books } from './turn/turn.ts'
import { Unapplied } from './unapplied.ts'

export type RunDeps = {
  books: Books
  /** Makes the folder, the lock and the journal of a new run. */
  openFiles: (run: string) => RunFiles
  /** What operators call this machine. */
  label: string
  log: Pick<Logger, 'warn' | 'error'>
}

/** A run of this process: its files, and what the database has not got of it. */
export type Run = { readonly name: string; readonly files: RunFiles; readonly unapplied: Unapplied }

/** Ends that go into one transaction. */
export const ENDS_MAX = 1000

export async function openRun({ books, label, openFiles }: RunDeps): Promise<Run> {
  const name = await books.openRun(label)
  return { name, files: openFiles(name), unapplied: new Unapplied() }
}

/** All up to this number is in the database. */
export function forward({ unapplied, files }: Run, position: number) {
  unapplied.forward(position)
  files.journal.applied(position)
}

/** Goes to where the database says the run is, forward or back: what it has lost is read again. */
export async function setPosition({ books, log }: RunDeps, run: Run, position: number) {
  const { name, unapplied, files } = run
  if (position > unapplied.last) {
    throw new Error(`the database has applied ${position} records of ${unapplied.last}`)
  }
  if (position >= unapplied.position) return forward(run, position)
  log.warn({ run: name, position }, 'the database is an older one; applying again')
  const { records, faults } = await files.readBack(position)
  const known = new Map(records.map(({ number, record }) => [number, record]))
  const lost = Array.from({ length: unapplied.position - position }, (_, index) => {
    const record = known.get(position + 1 + index)
    return record?.kind === 'end' ? record : null
  })
  unapplied.rewind(position, lost)
  await books.reportFaults(name, faults)
}

/** Charges what a run that was closed still has to say to what is available, until there is nothing. */
export async function endRun(deps: RunDeps, run: Run): Promise<void> {
  const { books } = deps
  const { name, unapplied, files } = run
  while (unapplied.last > unapplied.position) {
    const { to, records } = unapplied.next(ENDS_MAX)
    const from = unapplied.position
    const outcome = await books.applyLate({ run: name, from, to, records })
    if (outcome.type === 'done') forward(run, to)
    else await setPosition(deps, run, (await books.readRun(name))?.position ?? 0)
  }
  await books.closeRun({ run: name, type: 'finished', voids: [] })
  await files.journal.close()
}
