import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import {
  adoptImportedLogs,
  lockImportedLogs,
  prepareImportedLogs,
} from '../../store/imported-logs.ts'
import { findImportSource } from '../../store/imports.ts'
import type { ImportContext } from './context.ts'
import { countRows, LogBatch } from './log-batch.ts'
import { openWays, type Owners, type Ways } from './log-owners.ts'
import type { Source } from './sources/source.ts'

/** The transaction waits while pages of the source are read, which may be far away. */
const allowSlowReads = sql`set local idle_in_transaction_session_timeout = '10min'`

/**
 * Copies the log and books its charges, some pages per transaction. The cursor of a source moves
 * with each transaction, so an import that was interrupted continues where it stopped.
 */
export async function importLogs(
  context: ImportContext,
  source: Source,
  owners: Owners,
): Promise<Ways> {
  const { database, name, isDryRun } = context
  const ways = await openWays(context, owners)
  const begun = await findImportSource(database.kysely, name)
  const cursor = begun?.log_cursor ?? ''
  if (!isDryRun) {
    await writeLogs(context, source, { cursor, ways })
    if (database.kind === 'postgres') await adoptLogs(context)
    return ways
  }
  for await (const { rows } of source.logs(cursor)) {
    const known = rows.filter(({ userId }) => ways.users.has(userId)).length
    countRows(context, { read: rows.length, known })
  }
  return ways
}

async function writeLogs(
  context: ImportContext,
  source: Source,
  { cursor, ways }: { cursor: string; ways: Ways },
) {
  let after = cursor
  const open = () => source.logs(after)[Symbol.asyncIterator]()
  let pages = open()
  for (let next = await pages.next(); next.done !== true;) {
    if (context.database.kind === 'postgres') await prepareImportedLogs(context.database)
    let attempts = 0
    const batch = await context.database.changeAccounts(async (tx) => {
      attempts += 1
      // A transaction that is tried again reads its pages again.
      if (attempts > 1) {
        pages = open()
        next = await pages.next()
      }
      const isPostgres = context.database.kind === 'postgres'
      if (isPostgres) await allowSlowReads.execute(tx)
      const unindexedBefore = isPostgres ? await lockImportedLogs(tx) : 0
      const written = new LogBatch(tx, context, { ways, unindexedBefore })
      while (next.done !== true && written.rows < context.logBatchRows) {
        await written.add(next.value)
        next = await pages.next()
      }
      await written.book()
      return written
    })
    after = batch.cursor
    batch.note()
  }
}

const ADOPTIONS_MAX = 20
const ADOPTION_PAUSE_MS = 500

/** Long reads of the log may be in the way. */
async function adoptLogs({ database, report }: ImportContext) {
  for (let attempts = 0; attempts < ADOPTIONS_MAX; attempts += 1) {
    if (await adoptImportedLogs(database)) return
    await sleep(ADOPTION_PAUSE_MS)
  }
  report.tell('Log rows that appear once a running server has no long read of the log', 'all')
}
