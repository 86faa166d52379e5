import { randomUUID } from 'node:crypto'
import { AppError, LOG_TYPE } from '@tollgate/contract'
import { insertNote } from '../../store/logs.ts'
import { lockUser } from '../../store/users.ts'
import { isRepeated } from '../assert-credited.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { type CallerContext, reauthorize } from '../reauthorize.ts'
import { payoutText } from './topup-notes.ts'

type Payout = { user_id: number; amount: number; note: string; payout_id?: string | undefined }

/** Deducts a payout, in fen, from a user's earnings. A repeated payout id deducts nothing. */
export async function recordPayout(
  deps: AdminDeps,
  context: CallerContext,
  { user_id, amount, note, payout_id }: Payout,
): Promise<{ invite_balance: number; repeated: boolean }> {
  const { database, ledger } = deps
  return database.transaction(async (tx) => {
    const user = await lockUser(tx, database.kind, { id: user_id })
    if (!user) throw new AppError('user_not_found')
    const caller = await reauthorize(tx, deps, context)
    const outcome = await ledger.payOut(tx, {
      userId: user.id,
      amount,
      reason: note,
      source: `payout:${payout_id ?? randomUUID()}`,
      actorId: caller.id,
    })
    if (isRepeated(outcome, payout_id)) {
      return { invite_balance: outcome.balance, repeated: true }
    }
    switch (outcome.type) {
      case 'no_account':
        throw new AppError('user_not_found')
      case 'out_of_range':
        throw new AppError('payout_too_large', { balance: outcome.balance })
      case 'booked':
    }
    await insertNote(tx, {
      user_id: user.id,
      username: user.username,
      type: LOG_TYPE.manage,
      content: payoutText(amount, note),
      created_at: nowSeconds(deps),
    })
    return { invite_balance: outcome.balance, repeated: false }
  })
}
