import type { Quota, Seconds } from '@tollgate/contract'
import type { Tx } from '../../store/database.ts'
import { SECONDS_PER_DAY } from '../apply/rollups.ts'

type Period = { userId: number; tokenId: number; start: Seconds; quota: Quota }

/**
 * A new kind of budget period starts with what the token's budgets, of any kind, were charged in
 * it: a weekly limit holds for the whole week. The spending is moved here from the rows of other
 * periods, so that the sum of all rows stays what was charged. Requests still running are paid by
 * their owner and count for no budget any more.
 */
export async function carryOverSpend(tx: Tx, period: Period): Promise<void> {
  const { tokenId, start, quota } = period
  const rows = await tx
    .selectFrom('token_budgets')
    .select(['period_start', 'spent'])
    .where('token_id', '=', tokenId)
    .where('spent', '>', 0)
    .orderBy('period_start', 'desc')
    .execute()
  const currentSpent = rows.find((row) => row.period_start === start)?.spent ?? 0
  const missing = Math.max(0, (await chargedSince(tx, period)) - currentSpent)
  if (missing === 0) return
  let left = missing
  for (const { period_start, spent } of rows) {
    if (period_start === start) continue
    const part = Math.min(left, spent)
    await tx
      .updateTable('token_budgets')
      .set({ spent: spent - part })
      .where('token_id', '=', tokenId)
      .where('period_start', '=', period_start)
      .execute()
    left -= part
    if (left === 0) break
  }
  const spent = currentSpent + missing - left
  await tx
    .insertInto('token_budgets')
    .values({
      token_id: tokenId,
      period_start: start,
      limit_quota: quota,
      spent,
      quota_leased: 0,
    })
    .onConflict((conflict) => conflict.columns(['token_id', 'period_start']).doUpdateSet({ spent }))
    .execute()
}

/**
 * Spending is known by UTC day. In another time zone, a period may begin within one. All of that
 * day counts, so that a change of the period gives nobody more.
 */
async function chargedSince(tx: Tx, { userId, tokenId, start }: Period): Promise<Quota> {
  const { charged } = await tx
    .selectFrom('ledger_days')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('budget_charged'), eb.lit(0)).as('charged'))
    .where('user_id', '=', userId)
    .where('token_id', '=', tokenId)
    .where('day', '>=', Math.floor(start / SECONDS_PER_DAY))
    .executeTakeFirstOrThrow()
  return charged
}
