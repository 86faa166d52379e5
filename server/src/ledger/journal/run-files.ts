import { join } from 'node:path'
import type { Journal, ReadJournal } from './journal.ts'
import { readJournal } from './reader.ts'
import { type JournalDeps, openJournal } from './writer.ts'

export type RunFiles = {
  readonly journal: Journal
  /**
   * What the journal's files still hold above this number, including records applied a while ago.
   */
  readBack: (position: number) => Promise<ReadJournal>
}

export const journalFolder = (dataDir: string) => join(dataDir, 'journal')

/** `folder` is the folder of all journals. */
export function openRunFiles({ folder, ...deps }: JournalDeps): RunFiles {
  const { disk, run, clock } = deps
  const own = join(folder, run)
  return {
    journal: openJournal({ ...deps, folder: own }),
    readBack: (position) => readJournal({ disk, folder: own, run, position, clock }),
  }
}
