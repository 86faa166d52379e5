import { bookImports, type ImportedCredit } from '../../ledger/balances/book-imports.ts'
import { StagedUses } from '../../ledger/balances/staged-uses.ts'
import type { Tx } from '../../store/database.ts'
import type { ImportContext } from './context.ts'

type Booking = {
  readonly credits?: readonly ImportedCredit[]
  readonly uses?: StagedUses
}

/** Books balances and use once, in the transaction that writes what they belong to. */
export async function book(
  tx: Tx,
  { database: { kind }, name, turn, root, now, report }: ImportContext,
  { credits = [], uses = new StagedUses(kind) }: Booking,
) {
  if (credits.length + uses.sumsOf('user').size === 0) return
  const shortfalls = await bookImports(
    tx,
    { kind, now },
    { name: `${name}:${turn.last + 1}`, actorId: root.actor.id, credits, uses },
  )
  for (const { kind: of, ownerId, amount, booked } of shortfalls) {
    report.tell(
      'Balances that could not follow the source',
      `${of} ${ownerId}: ${booked} instead of ${amount}`,
    )
  }
}
