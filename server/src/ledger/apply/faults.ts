import { z } from 'zod'
import { quota } from '@tollgate/contract'
import { storableText } from '../../store/storable-text.ts'
import type { Batch } from '../batch.ts'
import type { ReadJournal } from '../journal/journal.ts'
import type { EndRecord } from '../record.ts'
import type { BatchTransaction, LedgerDatabaseDeps } from './apply-batch.ts'

const RECORD_LENGTH_MAX = 100_000
const ERROR_LENGTH_MAX = 2000

export type Fault = { readonly record: EndRecord; readonly error: unknown }

/** `run` is the name of the epoch. */
type Row = { run: string; position: number; record: string; error: string; created_at: number }

const storable = (row: Row): Row => ({
  ...row,
  record: storableText(row.record, RECORD_LENGTH_MAX),
  error: storableText(row.error, ERROR_LENGTH_MAX),
})

/** Stores a record that cannot be applied, for the operator. */
export async function insertFault(
  { tx, epoch, position, nowSeconds }: BatchTransaction,
  { record, error }: Fault,
) {
  const text = error instanceof Error ? error.message : String(error)
  const row = { run: epoch, position, record: JSON.stringify(record), error: text }
  await tx
    .insertInto('ledger_faults')
    .values(storable({ ...row, created_at: nowSeconds }))
    .execute()
}

export function logFaults({ log }: LedgerDatabaseDeps, epoch: string, faults: readonly Fault[]) {
  for (const { record, error } of faults) {
    log.error({ epoch, record, error }, 'a record cannot be applied and is quarantined')
  }
}

const parts = z
  .array(
    z.object({
      account: z.object({
        kind: z.enum(['user', 'token', 'budget']),
        ownerId: z.int(),
        period: z.int(),
      }),
      amount: quota,
    }),
  )
  .catch([])

/** What a record, however malformed, took from the leases of its epoch. */
export const releasesOf = (record: EndRecord): Batch['releases'] => parts.parse(record.parts)

/** Stores each fault once, however often the fault is reported. */
export async function reportFaults(
  { database, now }: LedgerDatabaseDeps,
  epoch: string,
  faults: ReadJournal['faults'],
): Promise<void> {
  if (faults.length === 0) return
  const created_at = Math.floor(now() / 1000)
  await database.transaction(async (tx) => {
    // Concurrent reports for this epoch wait for the lock on this row.
    await tx
      .updateTable('ledger_nodes')
      .set((eb) => ({ run: eb.ref('run') }))
      .where('run', '=', epoch)
      .execute()
    const known = await tx
      .selectFrom('ledger_faults')
      .select(['position', 'record', 'error'])
      .where('run', '=', epoch)
      .execute()
    const keys = new Set(known.map(keyOf))
    for (const { number: position, text, error } of faults) {
      const row = storable({ run: epoch, position, record: text, error, created_at })
      if (keys.has(keyOf(row))) continue
      keys.add(keyOf(row))
      await tx.insertInto('ledger_faults').values(row).execute()
    }
  })
}

const keyOf = ({ position, record, error }: Pick<Row, 'position' | 'record' | 'error'>) =>
  JSON.stringify([position, record, error])
