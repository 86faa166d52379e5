import { periodStart } from '../../domain/budget-period.ts'
import { storableText } from '../../store/storable-text.ts'
import { type Account, assertQuota, keyOf, tokenAccount, userAccount } from '../account.ts'
import type { Hold, HoldAmount, HoldOutcome, HoldRefusal, LedgerRequest } from '../ledger.ts'
import { heldBy, type OpenHold } from './hold-state.ts'
import type { LedgerNode } from './node.ts'

const NAME_LENGTH_MAX = 200

/** Holds on the user and, if limited, on the token and its budget: on all of them or on none. */
export async function acquireHold(
  node: LedgerNode,
  unsafeContext: LedgerRequest,
  amount: HoldAmount,
): Promise<HoldOutcome> {
  assertQuota(amount.min, 'the minimum of a hold')
  assertQuota(amount.max, 'the maximum of a hold')
  if (amount.min > amount.max) throw new RangeError('a hold has a minimum above its maximum')
  const context = storableContext(unsafeContext)
  const accounts = heldAccounts(context, node.databaseSeconds)
  let outcome = await node.authorize(context, accounts, amount)
  if (hasNoAccount(outcome)) {
    // The budget period may have ended during the wait. The batch has since brought the database's
    // time.
    const today = heldAccounts(context, node.databaseSeconds)
    const isNextPeriod = String(today.map(keyOf)) !== String(accounts.map(keyOf))
    if (isNextPeriod) outcome = await node.authorize(context, today, amount)
  }
  return 'type' in outcome ? outcome : { type: 'held', hold: createHold(node, outcome) }
}

const hasNoAccount = (outcome: OpenHold | HoldRefusal) =>
  'type' in outcome && outcome.type === 'no_account'

/** The owner's account comes first. */
function heldAccounts(
  { userId, tokenId, tokenLimited, budget, timeZone }: LedgerRequest,
  nowSeconds: number,
): Account[] {
  const accounts = [userAccount(userId)]
  if (tokenLimited) accounts.push(tokenAccount(tokenId))
  if (budget !== null) {
    const period = periodStart(budget, nowSeconds, timeZone)
    accounts.push({ kind: 'budget', ownerId: tokenId, period })
  }
  return accounts
}

function storableContext(context: LedgerRequest): LedgerRequest {
  return {
    ...context,
    username: storableText(context.username, NAME_LENGTH_MAX),
    tokenName: storableText(context.tokenName, NAME_LENGTH_MAX),
    model: storableText(context.model, NAME_LENGTH_MAX),
  }
}

function createHold(node: LedgerNode, open: OpenHold): Hold {
  return {
    get amount() {
      return heldBy(open)
    },
    raise: async (amount) => (await node.raise(open, amount)) ?? { type: 'held' },
    settle: async (settlement) => node.end(open, { ...settlement, outcome: 'settled' }),
    void: async (end) => node.end(open, { ...end, outcome: 'void', cost: 0, basis: null }),
  }
}
