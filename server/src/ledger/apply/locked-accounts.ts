import {
  BUDGET_PERIODS,
  type Quota,
  type Seconds,
  TOKEN_STATUS,
  USER_STATUS,
} from '@tollgate/contract'
import { mayRun } from '../../domain/budget-period.ts'
import { type Account, type AccountKey, keyOf, tokenAccount, userAccount } from '../account.ts'
import type { AccountState } from '../batch.ts'
import { Balance } from '../leases/balance.ts'
import {
  accountOf,
  type BudgetRow,
  type EpochTransaction,
  type LockedRows,
  lockRows,
  type RowKeys,
  type TokenRow,
  type UserRow,
} from './lock-rows.ts'

type Leases = ReadonlyMap<AccountKey, Quota>

type Locked<Row> = {
  readonly account: Account
  /** The row as read; without a row there is no money. */
  readonly stored: Row | undefined
  /** Whether a lease may be granted to a new request. */
  readonly isOpen: boolean
  readonly balance: Balance
  /** This epoch's lease as read. */
  readonly leaseBefore: number
  /** What this transaction adds to the owner's counters. */
  readonly counts: { charged: number; requests: number; accessedAt: Seconds }
}

export type LockedUser = Locked<UserRow>
export type LockedToken = Locked<TokenRow>
/** Without a limit there is no budget. */
export type LockedBudget = Locked<BudgetRow> & { readonly limit: Quota | undefined }

export type LockedAccounts = {
  readonly users: ReadonlyMap<number, LockedUser>
  readonly tokens: ReadonlyMap<number, LockedToken>
  readonly budgets: ReadonlyMap<AccountKey, LockedBudget>
}

/** Locks these accounts in the fixed order. The tokens of budgets are locked too. */
export async function lockAccounts(
  transaction: EpochTransaction & { databaseSeconds: Seconds },
  accounts: readonly Account[],
): Promise<LockedAccounts> {
  const keys = rowKeysOf(accounts)
  const rows = await lockRows(transaction, keys)
  return lockedAccounts(keys, rows, transaction.databaseSeconds)
}

export function rowKeysOf(accounts: readonly Account[]): RowKeys {
  const userIds = new Set<number>()
  const tokenIds = new Set<number>()
  const budgets = new Map<AccountKey, Account>()
  for (const account of accounts) {
    if (account.kind === 'user') userIds.add(account.ownerId)
    else tokenIds.add(account.ownerId)
    if (account.kind === 'budget') budgets.set(keyOf(account), account)
  }
  return { users: [...userIds], tokens: [...tokenIds], budgets: [...budgets.values()] }
}

/** `rows` are those of `lockQueries` for the same keys. */
export function lockedAccounts(
  keys: RowKeys,
  rows: LockedRows,
  databaseSeconds: Seconds,
): LockedAccounts {
  const leases = new Map(rows.leases.map((row) => [keyOf(accountOf(row)), row.amount]))
  const users = byId(rows.users)
  const tokens = byId(rows.tokens)
  const storedBudgets = new Map(rows.budgets.map((row) => [keyOfBudget(row), row]))
  const budgetOf = (account: Account) => {
    const parts = { stored: storedBudgets.get(keyOf(account)), token: tokens.get(account.ownerId) }
    return lockedBudget(account, { ...parts, leases, databaseSeconds })
  }
  return {
    users: new Map(keys.users.map((id) => [id, lockedUser(id, users.get(id), leases)])),
    tokens: new Map(keys.tokens.map((id) => [id, lockedToken(id, tokens.get(id), leases)])),
    budgets: new Map(keys.budgets.map((account) => [keyOf(account), budgetOf(account)])),
  }
}

const keyOfBudget = ({ token_id, period_start }: BudgetRow) =>
  keyOf({ kind: 'budget', ownerId: token_id, period: period_start })

const byId = <Row extends { id: number }>(rows: readonly Row[]) =>
  new Map(rows.map((row) => [row.id, row]))

function lockedUser(id: number, stored: UserRow | undefined, leases: Leases): LockedUser {
  return {
    isOpen: stored?.status === USER_STATUS.enabled,
    ...locked(userAccount(id), { stored, quota: stored?.quota, leases }),
  }
}

function lockedToken(id: number, stored: TokenRow | undefined, leases: Leases): LockedToken {
  return {
    isOpen: isOpenToken(stored),
    ...locked(tokenAccount(id), { stored, quota: stored?.remain_quota, leases }),
  }
}

const isOpenToken = (token: TokenRow | undefined) =>
  token !== undefined && token.key_hash !== null && token.status === TOKEN_STATUS.enabled

type BudgetParts = {
  stored: BudgetRow | undefined
  token: TokenRow | undefined
  leases: Leases
  databaseSeconds: Seconds
}

function lockedBudget(account: Account, parts: BudgetParts): LockedBudget {
  const { stored, token, leases } = parts
  const limit = limitOf(account, parts)
  const quota = limit === undefined ? undefined : limit - (stored?.spent ?? 0)
  return {
    limit,
    isOpen: isOpenToken(token) && limit !== undefined,
    ...locked(account, { stored, quota, leases }),
  }
}

/**
 * In the current period, a budget has the limit its token has now. While anything is leased, the
 * limit is at least what is spent and leased.
 */
function limitOf({ period }: Account, { stored, token, databaseSeconds }: BudgetParts) {
  const name = BUDGET_PERIODS.find((known) => known === token?.budget_period)
  const isCurrent = name !== undefined && mayRun(name, period, databaseSeconds)
  if (token === undefined || !isCurrent) return stored?.limit_quota
  const { spent = 0, quota_leased: leased = 0 } = stored ?? {}
  return leased === 0 ? token.budget_quota : Math.max(token.budget_quota, spent + leased)
}

function locked<Row extends { quota_leased: number }>(
  account: Account,
  {
    stored,
    quota = 0,
    leases,
  }: { stored: Row | undefined; quota: number | undefined; leases: Leases },
) {
  const lease = leases.get(keyOf(account)) ?? 0
  return {
    account,
    stored,
    balance: new Balance({ quota, leased: stored?.quota_leased ?? lease, lease }),
    leaseBefore: lease,
    counts: { charged: 0, requests: 0, accessedAt: 0 },
  }
}

export function findAccount(
  { users, tokens, budgets }: LockedAccounts,
  account: Account,
): Locked<unknown> | undefined {
  if (account.kind === 'user') return users.get(account.ownerId)
  if (account.kind === 'token') return tokens.get(account.ownerId)
  return budgets.get(keyOf(account))
}

/** Empty unless the account was locked. */
export function stateOf(accounts: LockedAccounts, account: Account): AccountState[] {
  const found = findAccount(accounts, account)
  if (found === undefined) return []
  const { lease, quota, leased } = found.balance
  return [{ account, isOpen: found.isOpen, lease, balance: Math.max(0, quota), leased }]
}
