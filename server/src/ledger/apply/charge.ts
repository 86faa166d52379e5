import type { Quota, Seconds } from '@tollgate/contract'
import {
  type Account,
  type AccountKind,
  assertQuota,
  isSameAccount,
  tokenAccount,
  userAccount,
} from '../account.ts'
import { assertBasis, type EndRecord } from '../record.ts'
import { findAccount, type LockedAccounts, type LockedUser } from './locked-accounts.ts'

export type Charge = {
  readonly charged: Quota
  readonly tokenCharged: Quota
  readonly budgetCharged: Quota
  /** Cost that no balance covered; charged to nobody. */
  readonly uncollected: Quota
}

export type ChargedEnd = { readonly record: EndRecord; readonly charge: Charge }

/** An account of the owner or of the token: that of the hold, if it has one. */
function accountOf({ parts }: EndRecord, kind: 'user' | 'token', ownerId: number): Account {
  for (const { account } of parts) {
    if (account.kind === kind && account.ownerId === ownerId && account.period === 0) return account
  }
  return kind === 'user' ? userAccount(ownerId) : tokenAccount(ownerId)
}

const userOf = (record: EndRecord): Account => accountOf(record, 'user', record.context.userId)
const tokenOf = (record: EndRecord): Account => accountOf(record, 'token', record.context.tokenId)

const isHeld = ({ parts }: EndRecord, kind: AccountKind): boolean =>
  parts.some(({ account }) => account.kind === kind)

/** Whether the token had a limit when the hold was taken. */
const isTokenCharged = (record: EndRecord): boolean =>
  record.context.tokenLimited || isHeld(record, 'token')

const budgetOf = ({ parts }: EndRecord): Account | undefined =>
  parts.find(({ account }) => account.kind === 'budget')?.account

/** Adds the accounts that an end is charged to, the owner's first. */
export function addChargedAccounts(accounts: Account[], record: EndRecord) {
  accounts.push(userOf(record))
  if (isTokenCharged(record)) accounts.push(tokenOf(record))
  const budget = budgetOf(record)
  if (budget !== undefined) accounts.push(budget)
}

/** The charged accounts, and the token, which counts the request with or without limits. */
export function addTouchedAccounts(accounts: Account[], record: EndRecord) {
  addChargedAccounts(accounts, record)
  if (!isTokenCharged(record)) accounts.push(tokenOf(record))
}

/**
 * Charges the owner first: the limit of a token or of its budget, however edited, never lowers what
 * the owner pays. A limit is charged no more than the owner paid.
 */
export function chargeRecord(accounts: LockedAccounts, record: EndRecord): Charge {
  const { cost, context, at } = record
  const charged = chargeAccount(accounts, record, userOf(record), cost)
  const tokenCharged = isTokenCharged(record)
    ? chargeAccount(accounts, record, tokenOf(record), charged)
    : 0
  const budget = budgetOf(record)
  const budgetCharged = budget === undefined ? 0 : chargeAccount(accounts, record, budget, charged)
  countEnd(accounts.users.get(context.userId)?.counts, charged, at)
  countEnd(accounts.tokens.get(context.tokenId)?.counts, charged, at)
  return { charged, tokenCharged, budgetCharged, uncollected: cost - charged }
}

/** Returns the amount charged; 0 for an account that was not locked. */
const chargeAccount = (
  accounts: LockedAccounts,
  record: EndRecord,
  account: Account,
  wanted: Quota,
): Quota => findAccount(accounts, account)?.balance.charge(partOf(record, account), wanted) ?? 0

function countEnd(counts: LockedUser['counts'] | undefined, charged: Quota, at: Seconds) {
  if (counts === undefined) return
  counts.charged += charged
  counts.requests += 1
  counts.accessedAt = Math.max(counts.accessedAt, at)
}

function partOf({ parts }: EndRecord, account: Account): Quota {
  for (const part of parts) if (isSameAccount(part.account, account)) return part.amount
  return 0
}

/** A journal may contain wrong data, which must neither create money nor take money from others. */
export function assertSound({ outcome, cost, basis, parts, context, channel }: EndRecord) {
  assertId(context.userId)
  assertId(context.tokenId)
  assertId(channel)
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

function assertId(id: number) {
  if (!Number.isSafeInteger(id)) throw new RangeError(`${id} is no id`)
}
