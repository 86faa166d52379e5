import type { Quota } from '@tollgate/contract'
import { periodStart } from '../../domain/budget-period.ts'
import { storableText } from '../../store/storable-text.ts'
import { type Account, assertQuota, keyOf, tokenAccount, userAccount } from '../account.ts'
import type {
  Hold,
  HoldAmount,
  HoldOutcome,
  HoldRefusal,
  LedgerRequest,
  RaiseOutcome,
  RequestEnd,
  Settlement,
} from '../ledger.ts'
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
  return 'type' in outcome ? outcome : { type: 'held', hold: new NodeHold(node, outcome) }
}

const hasNoAccount = (outcome: OpenHold | HoldRefusal) =>
  'type' in outcome && outcome.type === 'no_account'

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

class NodeHold implements Hold {
  readonly #node: LedgerNode
  readonly #open: OpenHold

  constructor(node: LedgerNode, open: OpenHold) {
    this.#node = node
    this.#open = open
  }

  get amount(): Quota {
    return heldBy(this.#open)
  }

  async raise(amount: HoldAmount): Promise<RaiseOutcome> {
    return (await this.#node.raise(this.#open, amount)) ?? { type: 'held' }
  }

  settle(settlement: Settlement): Promise<void> {
    return this.#node.end(this.#open, settlement)
  }

  void(end: RequestEnd): Promise<void> {
    return this.#node.end(this.#open, { ...end, cost: 0, basis: null })
  }
}
