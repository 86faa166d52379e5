import type { Database, Tx } from '../../store/database.ts'
import { readAll } from '../../store/execute-all.ts'
import { isInList } from '../../store/in-list.ts'
import { type Account, type AccountKind, keyOf } from '../account.ts'

/** A transaction on behalf of one epoch. */
export type EpochTransaction = {
  readonly tx: Tx
  readonly kind: Database['kind']
  readonly epoch: string
}

export type LockedRows = Awaited<ReturnType<typeof lockRows>>
export type UserRow = LockedRows['users'][number]
export type TokenRow = LockedRows['tokens'][number]
export type BudgetRow = LockedRows['budgets'][number]

type Ids = readonly number[]
type RowKeys = { users: Ids; tokens: Ids; budgets: readonly Account[] }

/**
 * Locks users, then tokens, then budgets, each in order of their ids, then reads the epoch's leases
 * on them: a lease changes only under the lock of its account. In SQLite the transaction itself is
 * the lock.
 */
export async function lockRows(transaction: EpochTransaction, { users, tokens, budgets }: RowKeys) {
  const owners = [...users, ...tokens]
  const rows = await readAll(transaction.tx, {
    users: users.length === 0 ? null : lockUsers(transaction, users),
    tokens: tokens.length === 0 ? null : lockTokens(transaction, tokens),
    budgets: budgets.length === 0 ? null : lockBudgets(transaction, budgets),
    leases: owners.length === 0 ? null : readLeases(transaction, owners),
  })
  const leases = new Map(rows.leases.map((row) => [keyOf(accountOf(row)), row.amount]))
  return { ...rows, leases }
}

function lockUsers({ tx, kind }: EpochTransaction, ids: Ids) {
  return tx
    .selectFrom('users')
    .select(['id', 'status', 'quota', 'quota_leased', 'used_quota', 'request_count'])
    .where(isInList(kind, 'id', { type: 'bigint', values: ids }))
    .orderBy('id')
    .$if(kind === 'postgres', (query) => query.forUpdate())
}

function lockTokens({ tx, kind }: EpochTransaction, ids: Ids) {
  return tx
    .selectFrom('tokens')
    .select(['id', 'status', 'remain_quota', 'quota_leased', 'used_quota', 'accessed_time'])
    .select(['key_hash', 'unlimited_quota', 'budget_quota', 'budget_period'])
    .where(isInList(kind, 'id', { type: 'bigint', values: ids }))
    .orderBy('id')
    .$if(kind === 'postgres', (query) => query.forUpdate())
}

/** May also lock other budgets of these tokens. */
function lockBudgets({ tx, kind }: EpochTransaction, budgets: readonly Account[]) {
  const tokenIds = budgets.map(({ ownerId }) => ownerId)
  const periods = budgets.map(({ period }) => period)
  return tx
    .selectFrom('token_budgets')
    .select(['token_id', 'period_start', 'limit_quota', 'spent', 'quota_leased'])
    .where(isInList(kind, 'token_id', { type: 'bigint', values: tokenIds }))
    .where(isInList(kind, 'period_start', { type: 'bigint', values: periods }))
    .orderBy('token_id')
    .orderBy('period_start')
    .$if(kind === 'postgres', (query) => query.forUpdate())
}

const readLeases = ({ tx, kind, epoch }: EpochTransaction, ownerIds: Ids) =>
  leasesOf({ tx, epoch })
    .where('kind', 'in', ['user', 'token', 'budget'])
    .where(isInList(kind, 'owner_id', { type: 'bigint', values: ownerIds }))

export async function listLeased(
  transaction: Pick<EpochTransaction, 'tx' | 'epoch'>,
): Promise<Account[]> {
  return (await leasesOf(transaction).execute()).map(accountOf)
}

const leasesOf = ({ tx, epoch }: Pick<EpochTransaction, 'tx' | 'epoch'>) =>
  tx
    .selectFrom('quota_leases')
    .select(['kind', 'owner_id', 'period', 'amount'])
    .where('run', '=', epoch)

type LeaseRow = { kind: string; owner_id: number; period: number }

const accountOf = ({ kind, owner_id, period }: LeaseRow): Account => ({
  kind: kind as AccountKind, // safe because only the ledger writes it
  ownerId: owner_id,
  period,
})
