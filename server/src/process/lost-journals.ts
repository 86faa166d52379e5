import { journalFolder } from '../ledger/journal/epoch-files.ts'
import { fileDisk } from '../ledger/journal/file-disk.ts'
import { listEpochs } from '../ledger/journal/reader.ts'
import type { Database } from '../store/database.ts'

/**
 * Epochs of an SQLite database that never ended and have no journal in `dataDir`. A process makes
 * the journal first and keeps it until it is applied, so the database was copied without it.
 */
export async function unfinishedWithoutJournal(
  { kind, kysely }: Database,
  dataDir: string,
): Promise<number> {
  // The journals of PostgreSQL's nodes are on their own machines.
  if (kind !== 'sqlite') return 0
  const rows = await kysely
    .selectFrom('ledger_nodes')
    .select('run')
    .where('closed_at', 'is', null)
    .execute()
  const found = new Set(listEpochs(fileDisk, journalFolder(dataDir)))
  return rows.filter(({ run }) => !found.has(run)).length
}

export const lostJournalsText = (count: number, dataDir: string) =>
  `the database was copied from a running server without ${count} of its journals, and maybe without tollgate.db-wal: the last charges are missing. Stop, and restore a backup or copy all of DATA_DIR ${dataDir} while the server is stopped`
