import { periodStart } from '../../domain/budget-period.ts'
import { storableText } from '../../store/storable-text.ts'
import { type Account, assertQuota, keyOf, tokenAccount, userAccount } from '../account.ts'
import type { HoldAmount, HoldOutcome, LedgerRequest } from '../ledger.ts'
import type { LedgerNode } from './node.ts'

const NAME_LENGTH_MAX = 200

/** Holds on the user and, if limited, on the token and its budget: on all of them or on none. */
export function acquireHold(
  node: LedgerNode,
  unsafeContext: LedgerRequest,
  amount: HoldAmount,
): Promise<HoldOutcome> {
  assertQuota(amount.min, 'the minimum of a hold')
  assertQuota(amount.max, 'the maximum of a hold')
  if (amount.min > amount.max) throw new RangeError('a hold has a minimum above its maximum')
  const context = storableContext(unsafeContext)
  const accounts = heldAccounts(context, node.databaseSeconds)
  const authorizing = node.authorize(context, accounts, amount)
  if (context.budget === null) return authorizing
  return authorizing.then((outcome) => {
    if (outcome.type !== 'no_account') return outcome
    // The budget period may have ended during the wait. The batch has since brought the database's
    // time.
    const today = heldAccounts(context, node.databaseSeconds)
    const isNextPeriod = String(today.map(keyOf)) !== String(accounts.map(keyOf))
    return isNextPeriod ? node.authorize(context, today, amount) : outcome
  })
}

/** The owner's account comes first. */
function heldAccounts(
  { userId, tokenId, tokenLimited, budget, timeZone }: LedgerRequest,
  nowSeconds: number,
): Account[] {
  const user = userAccount(userId)
  const accounts = tokenLimited ? [user, tokenAccount(tokenId)] : [user]
  if (budget === null) return accounts
  const period = periodStart(budget, nowSeconds, timeZone)
  return [...accounts, { kind: 'budget', ownerId: tokenId, period }]
}

/** The context itself if its texts can be stored, as nearly all can. */
function storableContext(context: LedgerRequest): LedgerRequest {
  const username = storableText(context.username, NAME_LENGTH_MAX)
  const tokenName = storableText(context.tokenName, NAME_LENGTH_MAX)
  const model = storableText(context.model, NAME_LENGTH_MAX)
  const isStorable =
    username === context.username && tokenName === context.tokenName && model === context.model
  return isStorable ? context : { ...context, username, tokenName, model }
}
