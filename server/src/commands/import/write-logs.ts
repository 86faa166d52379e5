import { sql } from 'kysely'
import {
  adoptImportedLogs,
  lockImportedLogs,
  prepareImportedLogs,
} from '../../store/imported-logs.ts'
import { findImportSource } from '../../store/imports.ts'
import type { ImportContext } from './context.ts'
import { countRows, LogBatch } from './log-batch.ts'
import { type LogOwners, openLogOwners, type Owners } from './log-owners.ts'
import type { Source } from './sources/source.ts'
import { writeInTurn } from './write-in-turn.ts'

/** The transaction waits while pages of the source are read, which may be far away. */
const allowSlowReads = sql`set local idle_in_transaction_session_timeout = '10min'`

/**
 * Copies the log and books its charges, some pages per transaction. The cursor of a source moves
 * with each transaction, so an import that was interrupted continues where it stopped.
 */
export async function importLogs(
  context: ImportContext,
  source: Source,
  imported: Owners,
): Promise<LogOwners> {
  const { database, name, isDryRun } = context
  const owners = await openLogOwners(context, imported)
  const begun = await findImportSource(database.kysely, name)
  const cursor = begun?.log_cursor ?? ''
  if (!isDryRun) {
    await writeLogs(context, source, { cursor, owners })
    if (database.kind === 'postgres') await adoptImportedLogs(database)
    return owners
  }
  for await (const { rows } of source.logs(cursor)) {
    const known = rows.filter(({ userId }) => owners.users.has(userId)).length
    countRows(context, { read: rows.length, known })
  }
  return owners
}

async function writeLogs(
  context: ImportContext,
  source: Source,
  { cursor, owners }: { cursor: string; owners: LogOwners },
) {
  let after = cursor
  const open = () => source.logs(after)[Symbol.asyncIterator]()
  let pages = open()
  for (let next = await pages.next(); next.done !== true;) {
    if (context.database.kind === 'postgres') await prepareImportedLogs(context.database)
    let attempts = 0
    const batch = await writeInTurn(context, 'changeAccounts', async (tx) => {
      attempts += 1
      // A transaction that is tried again reads its pages again.
      if (attempts > 1) {
        await pages.return?.()
        pages = open()
        next = await pages.next()
      }
      const isPostgres = context.database.kind === 'postgres'
      if (isPostgres) await allowSlowReads.execute(tx)
      const unindexedBefore = isPostgres ? await lockImportedLogs(tx) : 0
      const written = new LogBatch(tx, context, { owners, unindexedBefore })
      while (next.done !== true && written.rows < context.logBatchRows) {
        await written.add(next.value)
        next = await pages.next()
      }
      await written.book()
      return written
    })
    after = batch.cursor
    batch.countCommitted()
  }
}
