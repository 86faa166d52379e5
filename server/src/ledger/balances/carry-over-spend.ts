import type { Quota, Seconds } from '@tollgate/contract'
import type { Tx } from '../../store/database.ts'
import { SECONDS_PER_DAY } from '../apply/rollups.ts'

type Period = { userId: number; tokenId: number; start: Seconds; quota: Quota }

/**
 * A budget of another kind of period begins with what budgets of the token were charged in it, whatever kind they
 * were: a limit of a week holds for all of that week. It is moved here from the rows of other periods, so that all rows
 * together stay what was charged. What still runs is paid by its owner and counts for no budget any more.
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
  const own = rows.find((row) => row.period_start === start)?.spent ?? 0
  const missing = Math.max(0, (await chargedSince(tx, period)) - own)
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
  const spent = own + missing - left
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

/** Periods begin with a day. */
async function chargedSince(tx: Tx, { userId, tokenId, start }: Period): Promise<Quota> {
  const { charged } = await tx
    .selectFrom('ledger_days')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('budget_charged'), eb.lit(0)).as('charged'))
    .where('user_id', '=', userId)
    .where('token_id', '=', tokenId)
    .where('day', '>=', start / SECONDS_PER_DAY)
    .executeTakeFirstOrThrow()
  return charged
}
