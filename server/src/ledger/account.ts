import { QUOTA_MAX, type Quota, type Seconds } from '@tollgate/contract'

/**
 * What charges are taken from: a user's balance, a limited token, or a token's budget of one
 * period.
 */
export type AccountKind = 'user' | 'token' | 'budget'

export type Account = {
  readonly kind: AccountKind
  /** User id for `user`; token id for `token` and `budget`. */
  readonly ownerId: number
  /** Start of the budget's period; 0 for users and tokens. */
  readonly period: Seconds
}

export type AccountKey = `${AccountKind}:${number}:${number}`

export const keyOf = ({ kind, ownerId, period }: Account): AccountKey =>
  `${kind}:${ownerId}:${period}`

/** The same as equal keys. */
export const isSameAccount = (one: Account, other: Account): boolean =>
  one.kind === other.kind && one.ownerId === other.ownerId && one.period === other.period

export const userAccount = (ownerId: number): Account => ({ kind: 'user', ownerId, period: 0 })
export const tokenAccount = (ownerId: number): Account => ({ kind: 'token', ownerId, period: 0 })

/** An amount on one account: held there, or taken from the lease there. */
export type AccountAmount = { readonly account: Account; readonly amount: Quota }

/** Throws on an amount that only a bug can produce; nothing has been stored by then. */
export function assertQuota(amount: number, name: string) {
  if (Number.isInteger(amount) && amount >= 0 && amount <= QUOTA_MAX) return
  throw new RangeError(`${name} is ${amount}, which is no amount of quota`)
}
