import { type Compilable, sql } from 'kysely'
import { type Quota, TOKEN_STATUS } from '@tollgate/contract'
import type { Tx } from '../store/database.ts'
import { executeAll } from '../store/execute-all.ts'
import { quotaReminder } from '../store/outbox.ts'
import { type LockedToken, lockToken, type LockedUser, lockUser, saturatingSum } from './account.ts'
import { bookDay, bookHour, saturatingIncrement, writeLog } from './books.ts'
import { type Charge, computeCharge } from './charge.ts'
import type { LedgerDeps, RequestContext, Settled } from './ledger.ts'
import { createRecord, type Ending, type EndRecord } from './record.ts'
import { retry, SHORT_PAUSES_MS } from './retry.ts'

/**
 * How a hold is closed: once, whoever asks how often. When the database fails for longer than the
 * pauses it throws and the hold stays open, so that it can be closed later.
 */
export function createEnding(
  deps: LedgerDeps,
  context: RequestContext,
  pausesMs: readonly number[] = SHORT_PAUSES_MS,
): (ending: Ending) => Promise<Settled> {
  let ended: Promise<Settled> | null = null
  let computed: Settled | null = null

  const end = async (ending: Ending): Promise<Settled> => {
    const record = createRecord(context, ending, Math.floor(deps.now() / 1000))
    return retry(async () => {
      const result = await deps.database.transaction(async (tx) => {
        const closed = await endHold(tx, deps, record)
        computed = closed ?? computed
        return closed
      })
      // No row: a commit whose answer was lost has taken effect, or the run was closed by another.
      return result ?? computed ?? uncollectedWholly(record)
    }, pausesMs)
  }
  return (ending) => {
    ended ??= end(ending).catch((error: unknown) => {
      ended = null
      throw error
    })
    return ended
  }
}

const uncollectedWholly = ({ cost }: EndRecord): Settled => ({
  charged: 0,
  uncollected: cost,
  tokenExhausted: false,
})

/** Everything that a request changes at its end; null when it has ended before. */
export async function endHold(
  tx: Tx,
  { database: { kind }, keepsLog, remindBelow }: Omit<LedgerDeps, 'run' | 'now'>,
  record: EndRecord,
): Promise<Settled | null> {
  const { requestId, userId, tokenId } = record.context
  const user = await lockUser(tx, kind, userId)
  const token = await lockToken(tx, kind, tokenId)
  const hold = await tx
    .deleteFrom('holds')
    .where('request_id', '=', requestId)
    .returning(['user_amount', 'token_amount', 'token_limited'])
    .executeTakeFirst()
  if (!hold) return null

  const charge = computeCharge(record.cost, hold, { user, token })
  const exhausted = token !== undefined && isUsedUp(token, charge)
  const queries: Compilable[] = []
  if (user) queries.push(chargeUser(tx, userId, user, charge))
  if (user && isToBeReminded(user, charge, remindBelow())) {
    const remaining = user.quota - charge.charged
    queries.push(quotaReminder(tx, { userId, remaining }, record.at))
  }
  if (token) queries.push(chargeToken(tx, record, token, charge, exhausted))
  if (record.channel !== 0 && charge.charged > 0) {
    queries.push(chargeChannel(tx, record.channel, charge))
  }
  queries.push(bookDay(tx, record, charge), bookHour(tx, record, charge))
  if (keepsLog()[record.outcome]) queries.push(writeLog(tx, record, charge, hold.user_amount))
  await executeAll(tx, kind, queries)
  return {
    charged: charge.charged,
    uncollected: charge.uncollected,
    tokenExhausted: exhausted,
  }
}

function chargeUser(tx: Tx, userId: number, user: LockedUser, charge: Charge) {
  return tx
    .updateTable('users')
    .set({
      quota: user.quota - charge.charged,
      quota_leased: user.quota_leased - charge.userPart,
      used_quota: saturatingSum(user.used_quota, charge.charged),
      request_count: saturatingSum(user.request_count, 1),
    })
    .where('id', '=', userId)
}

/** Once on the way down and once at the end of it, whatever was spent in one step. */
function isToBeReminded({ quota }: LockedUser, { charged }: Charge, threshold: Quota): boolean {
  const remaining = quota - charged
  return (quota >= threshold && remaining < threshold) || (quota > 0 && remaining === 0)
}

/** The one place that tells when a token becomes exhausted. */
function isUsedUp(token: LockedToken, { tokenCharged }: Charge): boolean {
  const isLive = token.status === TOKEN_STATUS.enabled && token.unlimited_quota === 0
  return isLive && tokenCharged > 0 && tokenCharged === token.remain_quota
}

function chargeToken(
  tx: Tx,
  { context, at }: EndRecord,
  token: LockedToken,
  charge: Charge,
  exhausted: boolean,
) {
  return tx
    .updateTable('tokens')
    .set({
      remain_quota: token.remain_quota - charge.tokenCharged,
      quota_leased: token.quota_leased - charge.tokenPart,
      used_quota: saturatingSum(token.used_quota, charge.charged),
      accessed_time: at,
      ...(exhausted ? { status: TOKEN_STATUS.exhausted } : {}),
    })
    .where('id', '=', context.tokenId)
}

function chargeChannel(tx: Tx, channel: number, { charged }: Charge) {
  return tx
    .updateTable('channels')
    .set({ used_quota: saturatingIncrement(sql.ref('used_quota'), sql.val(charged)) })
    .where('id', '=', channel)
}
