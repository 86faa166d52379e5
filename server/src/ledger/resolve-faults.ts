import type { Database } from '../store/database.ts'

const SHOWN_MAX = 100

/** Records that could not be applied and that nobody has looked at, the oldest first; a hundred at most. */
export function openFaults({ kysely }: Pick<Database, 'kysely'>) {
  return kysely
    .selectFrom('ledger_faults')
    .select(['run', 'position', 'record', 'error', 'created_at'])
    .where('resolved_at', 'is', null)
    .orderBy('id')
    .limit(SHOWN_MAX)
    .execute()
}

/**
 * The operator has seen to the faults of a run: whoever was owed something has it by an edit of their quota, which is
 * a credit as any other. Returns how many there were.
 */
export async function resolveFaults(
  { kysely }: Pick<Database, 'kysely'>,
  { run, nowSeconds }: { run: string; nowSeconds: number },
): Promise<number> {
  const { numUpdatedRows } = await kysely
    .updateTable('ledger_faults')
    .set({ resolved_at: nowSeconds })
    .where('run', '=', run)
    .where('resolved_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}
