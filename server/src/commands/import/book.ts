import type { Compilable } from 'kysely'
import { bookImports, type ImportedCredit } from '../../ledger/balances/book-imports.ts'
import type { ImportedUse } from '../../ledger/balances/imported-sums.ts'
import type { Tx } from '../../store/database.ts'
import { executeAll } from '../../store/execute-all.ts'
import { nextImportBatch } from '../../store/imports.ts'
import type { ImportContext } from './context.ts'

type Booking = {
  readonly credits?: readonly ImportedCredit[]
  readonly uses?: readonly ImportedUse[]
  readonly records?: readonly Compilable[]
}

/** Books balances and use in the transaction that writes what they belong to. */
export async function book(
  tx: Tx,
  { database: { kind }, name, root, now, report }: ImportContext,
  { credits = [], uses = [], records = [] }: Booking,
) {
  if (credits.length + uses.length === 0) return executeAll(tx, records)
  const batch = await nextImportBatch(tx, name)
  const shortfalls = await bookImports(
    tx,
    { kind, now },
    { name: `${name}:${batch}`, actorId: root.actor.id, credits, uses, records },
  )
  for (const { kind: of, ownerId, amount, booked } of shortfalls) {
    report.tell(
      'Balances that could not follow the source',
      `${of} ${ownerId}: ${booked} instead of ${amount}`,
    )
  }
}
