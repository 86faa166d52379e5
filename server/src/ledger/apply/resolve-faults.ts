import type { Database } from '../../store/database.ts'

type Connection = Pick<Database, 'kysely'>

const SHOWN_MAX = 100
const SHOWN = ['run', 'position', 'record', 'error', 'created_at'] as const

/** Unresolved faults, oldest first; at most 100. */
const shown = ({ kysely }: Connection) =>
  kysely.selectFrom('ledger_faults').where('resolved_at', 'is', null).orderBy('id').limit(SHOWN_MAX)

export const openFaults = (database: Connection) => shown(database).select(SHOWN).execute()

/**
 * Marks the faults of an epoch as handled by the operator. An owner who was owed something was paid
 * by a quota edit, which is an ordinary credit. Resolves only faults that are shown, and returns
 * them.
 */
export async function resolveFaults(
  database: Connection,
  { epoch, nowSeconds }: { epoch: string; nowSeconds: number },
) {
  const resolved = await database.kysely
    .updateTable('ledger_faults')
    .set({ resolved_at: nowSeconds })
    .where('id', 'in', shown(database).select('id'))
    .where('run', '=', epoch)
    .returning(['id', ...SHOWN])
    .execute()
  return resolved.toSorted((a, b) => a.id - b.id).map(({ id: _, ...fault }) => fault)
}
