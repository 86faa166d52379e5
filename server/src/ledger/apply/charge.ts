import type { Quota } from '@tollgate/contract'
import { type Account, assertQuota, isSameAccount, tokenAccount, userAccount } from '../account.ts'
import { assertBasis, type EndRecord } from '../record.ts'
import { findAccount, type LockedAccounts } from './locked-accounts.ts'

export type Charge = {
  readonly charged: Quota
  readonly tokenCharged: Quota
  readonly budgetCharged: Quota
  /** Cost that no balance covered; charged to nobody. */
  readonly uncollected: Quota
}

export type ChargedEnd = { readonly record: EndRecord; readonly charge: Charge }

/** Limits that an end is charged to, as its token had them when the hold was taken. */
function limitsOf({ context, parts }: EndRecord): {
  token: Account | null
  budget: Account | null
} {
  const budget = parts.find(({ account }) => account.kind === 'budget')?.account ?? null
  const isLimited = context.tokenLimited || parts.some(({ account }) => account.kind === 'token')
  return { token: isLimited ? tokenAccount(context.tokenId) : null, budget }
}

export function chargedAccounts(record: EndRecord): Account[] {
  const { token, budget } = limitsOf(record)
  return [userAccount(record.context.userId), token, budget].filter((account) => account !== null)
}

/** The charged accounts, and the token, which counts the request with or without limits. */
export const touchedAccounts = (record: EndRecord): Account[] => [
  ...chargedAccounts(record),
  tokenAccount(record.context.tokenId),
]

/**
 * Charges the owner first: the limit of a token or of its budget, however edited, never lowers what
 * the owner pays. A limit is charged no more than the owner paid.
 */
export function chargeRecord(accounts: LockedAccounts, record: EndRecord): Charge {
  const { cost, context } = record
  const { token, budget } = limitsOf(record)
  const charge = (account: Account | null, wanted: Quota) =>
    account === null
      ? 0
      : (findAccount(accounts, account)?.balance.charge(partOf(record, account), wanted) ?? 0)

  const charged = charge(userAccount(context.userId), cost)
  const tokenCharged = charge(token, charged)
  const budgetCharged = charge(budget, charged)
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

const partOf = ({ parts }: EndRecord, account: Account): Quota =>
  parts.find((part) => isSameAccount(part.account, account))?.amount ?? 0

/** A journal may contain wrong data, which must neither create money nor take money from others. */
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
