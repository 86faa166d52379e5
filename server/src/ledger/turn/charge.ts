import type { Quota } from '@tollgate/contract'
import { periodStart } from '../../domain/budget-period.ts'
import { type Account, assertQuota, keyOf, tokenAccount, userAccount } from '../account.ts'
import { assertBasis, type EndRecord } from '../record.ts'
import { budgetPeriodOf, findAccount, type LockedAccounts } from './locked-accounts.ts'

export type Charge = {
  readonly charged: Quota
  readonly tokenCharged: Quota
  readonly budgetCharged: Quota
  /** Cost that no balance covered; charged to nobody. */
  readonly uncollected: Quota
}

/** What an end is charged to besides its owner: the limits that its token had when it was held. */
function limitsOf({ context, parts }: EndRecord): {
  token: Account | null
  budget: Account | null
} {
  const budget = parts.find(({ account }) => account.kind === 'budget')?.account ?? null
  const isLimited = context.tokenLimited || parts.some(({ account }) => account.kind === 'token')
  return { token: isLimited ? tokenAccount(context.tokenId) : null, budget }
}

/**
 * The budget that would miss this charge: its token has another kind of period than at the hold, and this is the period
 * of that kind in which the request ended.
 */
export function budgetOfOtherKind(
  { tokens }: Pick<LockedAccounts, 'tokens'>,
  record: EndRecord,
): Account | null {
  const { cost, context, at } = record
  const period = budgetPeriodOf(tokens.get(context.tokenId)?.stored)
  if (cost === 0 || period === undefined || period === context.budget) return null
  const { budget } = limitsOf(record)
  return budget && { ...budget, period: periodStart(period, at) }
}

/** The accounts that an end is charged to. */
export function chargedAccounts(record: EndRecord): Account[] {
  const { token, budget } = limitsOf(record)
  return [userAccount(record.context.userId), token, budget].filter((account) => account !== null)
}

/** Those, and the token that counts it whether it has limits or not. */
export const accountsOf = (record: EndRecord): Account[] => [
  ...chargedAccounts(record),
  tokenAccount(record.context.tokenId),
]

/**
 * The owner comes first: the limit of a token or of its budget, however it was edited, never lowers what
 * its owner pays, and no more is taken from it than he paid.
 */
export function chargeRecord(accounts: LockedAccounts, record: EndRecord): Charge {
  const { cost, context } = record
  const { token, budget } = limitsOf(record)
  const take = (account: Account | null, wanted: Quota) =>
    account === null
      ? 0
      : (findAccount(accounts, account)?.balance.charge(said(record, account), wanted) ?? 0)

  const charged = take(userAccount(context.userId), cost)
  const tokenCharged = take(token, charged)
  const budgetCharged = takeOfOtherKind(accounts, record, charged) ?? take(budget, charged)
  for (const counter of [
    accounts.users.get(context.userId),
    accounts.tokens.get(context.tokenId),
  ]) {
    if (counter === undefined) continue
    counter.counts.charged += charged
    counter.counts.requests += 1
    counter.counts.accessedAt = Math.max(counter.counts.accessedAt, record.at)
  }
  return { charged, tokenCharged, budgetCharged, uncollected: cost - charged }
}

/** What was taken of the lease goes back there. Null where no such budget is, nor can be made any more. */
function takeOfOtherKind(accounts: LockedAccounts, record: EndRecord, wanted: Quota): Quota | null {
  const { budget } = limitsOf(record)
  const other = budgetOfOtherKind(accounts, record)
  const standing = other === null ? undefined : accounts.budgets.get(keyOf(other))
  if (budget === null || standing?.limit === undefined) return null
  accounts.budgets.get(keyOf(budget))?.balance.giveBack(said(record, budget))
  return standing.balance.charge(0, wanted)
}

const said = ({ parts }: EndRecord, account: Account): Quota =>
  parts.find((part) => keyOf(part.account) === keyOf(account))?.amount ?? 0

/** What a journal says may be wrong; it must not make money, or take that of others. */
export function assertSound({ outcome, cost, basis, parts, context, channel }: EndRecord) {
  for (const id of [context.userId, context.tokenId, channel]) {
    if (!Number.isSafeInteger(id)) throw new RangeError(`${id} is no id`)
  }
  assertQuota(cost, 'a cost')
  if (basis) assertBasis(basis, cost)
  else if (outcome !== 'void' || cost !== 0) throw new RangeError('a charge has no basis')
  for (const { account, amount } of parts) {
    assertQuota(amount, `the part of a ${account.kind}`)
    const ownerId = account.kind === 'user' ? context.userId : context.tokenId
    if (account.ownerId !== ownerId || !Number.isSafeInteger(account.period)) {
      throw new RangeError(`a part is that of no ${account.kind} of the request`)
    }
  }
}
