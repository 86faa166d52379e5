import type { Compilable } from 'kysely'
import type { Database, Tx } from '../../store/database.ts'
import { readAll } from '../../store/execute-all.ts'
import { isInList } from '../../store/in-list.ts'
import type { Account, AccountKind } from '../account.ts'

/** A transaction on behalf of one epoch. */
export type EpochTransaction = {
  readonly tx: Tx
  readonly kind: Database['kind']
  readonly epoch: string
}

type RowOf<Query> = Query extends Compilable<infer Row> ? Row : never
type Queries = ReturnType<typeof lockQueries>
export type LockedRows = { readonly [Name in keyof Queries]: readonly RowOf<Queries[Name]>[] }
export type UserRow = LockedRows['users'][number]
export type TokenRow = LockedRows['tokens'][number]
export type BudgetRow = LockedRows['budgets'][number]

type Ids = readonly number[]
export type RowKeys = { users: Ids; tokens: Ids; budgets: readonly Account[] }

/**
 * Lock users, then tokens, then budgets, each in order of their ids, then read the epoch's leases
 * on them: a lease changes only under the lock of its account. In SQLite the transaction itself is
 * the lock.
 */
export function lockQueries(transaction: EpochTransaction, { users, tokens, budgets }: RowKeys) {
  const owners = [...users, ...tokens]
  return {
    users: users.length === 0 ? null : lockUsers(transaction, users),
    tokens: tokens.length === 0 ? null : lockTokens(transaction, tokens),
    budgets: budgets.length === 0 ? null : lockBudgets(transaction, budgets),
    leases: owners.length === 0 ? null : readLeases(transaction, owners),
  }
}

export const lockRows = (transaction: EpochTransaction, keys: RowKeys): Promise<LockedRows> =>
  readAll(transaction.tx, lockQueries(transaction, keys))

function lockUsers({ tx, kind }: EpochTransaction, ids: Ids) {
  return tx
    .selectFrom('users')
    .select(['id', 'status', 'quota', 'quota_leased', 'used_quota', 'request_count'])
    .select('remind_below')
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

export const accountOf = ({ kind, owner_id, period }: LeaseRow): Account => ({
  kind: kind as AccountKind, // safe because only the ledger writes it
  ownerId: owner_id,
  period,
})
