import type { Database, Tx } from '../../store/database.ts'
import { storableText } from '../../store/storable-text.ts'
import type { Earning, EarningOutcome, Ledger } from '../ledger.ts'

const TEXT_LENGTH_MAX = 500

type EarningDeps = { database: Pick<Database, 'kind'>; now: () => number }

/** Earnings from invitations. No other code changes `invite_balance`. */
export function createEarnings(deps: EarningDeps): Pick<Ledger, 'earn' | 'payOut'> {
  return {
    earn: (tx, earning) => bookEarning(tx, deps, { ...earning, amount: positive(earning.amount) }),
    payOut: (tx, payout) => bookEarning(tx, deps, { ...payout, amount: -positive(payout.amount) }),
  }
}

function positive(amount: number): number {
  if (Number.isInteger(amount) && amount > 0) return amount
  throw new RangeError(`${amount} fen can be neither earned nor paid out`)
}

async function bookEarning(
  tx: Tx,
  deps: EarningDeps,
  { userId, amount, reason, source, actorId }: Earning,
): Promise<EarningOutcome> {
  const balance = await lockEarnings(tx, deps, userId)
  if (balance === undefined) return { type: 'no_account' }
  const entry = { user_id: userId, amount, source }
  const earlier = await findRepeated(tx, entry, balance)
  if (earlier) return earlier
  const after = balance + amount
  if (after < 0 || !Number.isSafeInteger(after)) return { type: 'out_of_range', balance }

  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('partner_entries')
    .values({
      ...entry,
      reason: storableText(reason, TEXT_LENGTH_MAX),
      actor_id: actorId,
      created_at: Math.floor(deps.now() / 1000),
    })
    .onConflict((conflict) => conflict.column('source').doNothing())
    .executeTakeFirstOrThrow()
  if (numInsertedOrUpdatedRows === 0n) {
    return (await findRepeated(tx, entry, balance)) ?? { type: 'repeated', balance, isSame: false }
  }
  await tx.updateTable('users').set({ invite_balance: after }).where('id', '=', userId).execute()
  return { type: 'booked', balance: after }
}

async function lockEarnings(
  tx: Tx,
  { database }: EarningDeps,
  userId: number,
): Promise<number | undefined> {
  const user = await tx
    .selectFrom('users')
    .select('invite_balance')
    .where('id', '=', userId)
    .$if(database.kind === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst()
  return user?.invite_balance
}

type Entry = { user_id: number; amount: number; source: string }

async function findRepeated(
  tx: Tx,
  entry: Entry,
  balance: number,
): Promise<EarningOutcome | undefined> {
  const row = await tx
    .selectFrom('partner_entries')
    .select(['user_id', 'amount'])
    .where('source', '=', entry.source)
    .executeTakeFirst()
  if (!row) return undefined
  const isSame = row.user_id === entry.user_id && row.amount === entry.amount
  return { type: 'repeated', balance, isSame }
}
