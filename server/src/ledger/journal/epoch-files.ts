import { join } from 'node:path'
import type { Journal, ReadJournal } from './journal.ts'
import { readJournal } from './reader.ts'
import { type JournalDeps, openJournal } from './writer.ts'

export type EpochFiles = {
  readonly journal: Journal
  /**
   * What the journal's files still hold above this number, including records applied a while ago.
   */
  readBack: (position: number) => Promise<ReadJournal>
}

export const journalFolder = (dataDir: string) => join(dataDir, 'journal')

/** `folder` is the folder of all journals. */
export function openEpochFiles({ folder, ...deps }: JournalDeps): EpochFiles {
  const { disk, epoch, clock } = deps
  const epochFolder = join(folder, epoch)
  return {
    journal: openJournal({ ...deps, folder: epochFolder }),
    readBack: (position) => readJournal({ disk, folder: epochFolder, epoch, position, clock }),
  }
}
