import type { Database } from '../../store/database.ts'

type Connection = Pick<Database, 'kysely'>

const SHOWN_MAX = 100
const SHOWN = ['run', 'position', 'record', 'error', 'created_at'] as const

/** Records that could not be applied and that nobody has looked at, the oldest first; a hundred at most. */
const shown = ({ kysely }: Connection) =>
  kysely.selectFrom('ledger_faults').where('resolved_at', 'is', null).orderBy('id').limit(SHOWN_MAX)

export const openFaults = (database: Connection) => shown(database).select(SHOWN).execute()

/**
 * The operator has seen to the faults of a run: whoever was owed something has it by an edit of their quota, which is
 * a credit as any other. Only what is shown can have been seen; returns what that was.
 */
export async function resolveFaults(
  database: Connection,
  { run, nowSeconds }: { run: string; nowSeconds: number },
) {
  const resolved = await database.kysely
    .updateTable('ledger_faults')
    .set({ resolved_at: nowSeconds })
    .where('id', 'in', shown(database).select('id'))
    .where('run', '=', run)
    .returning(['id', ...SHOWN])
    .execute()
  return resolved.toSorted((a, b) => a.id - b.id).map(({ id: _, ...fault }) => fault)
}
