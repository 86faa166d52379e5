import type { Compilable } from 'kysely'
import { type Quota, type Seconds, TOKEN_STATUS } from '@tollgate/contract'
import { bulkDelete, bulkInsert, bulkUpdate } from '../../store/bulk.ts'
import type { Tx } from '../../store/database.ts'
import { quotaReminder } from '../../store/outbox.ts'
import type { EpochTransaction } from './lock-rows.ts'
import type { LockedAccounts, LockedBudget, LockedToken, LockedUser } from './locked-accounts.ts'
import { saturatingSum } from './saturate.ts'

const writeUsers = bulkUpdate(
  'users',
  {
    id: 'bigint',
    quota: 'bigint',
    quota_leased: 'bigint',
    used_quota: 'bigint',
    request_count: 'bigint',
  },
  ['id'],
)

const writeTokens = bulkUpdate(
  'tokens',
  {
    id: 'bigint',
    remain_quota: 'bigint',
    quota_leased: 'bigint',
    used_quota: 'bigint',
    accessed_time: 'bigint',
    status: 'bigint',
  },
  ['id'],
)

const writeBudgets = bulkInsert(
  'token_budgets',
  {
    token_id: 'bigint',
    period_start: 'bigint',
    limit_quota: 'bigint',
    spent: 'bigint',
    quota_leased: 'bigint',
  },
  `(token_id, period_start) do update set limit_quota = excluded.limit_quota, spent = excluded.spent,
    quota_leased = excluded.quota_leased`,
)

/** The column `run` holds the name of the epoch. */
const LEASE_KEY = { run: 'text', kind: 'text', owner_id: 'bigint', period: 'bigint' } as const

const writeLeases = bulkInsert(
  'quota_leases',
  { ...LEASE_KEY, amount: 'bigint' },
  '(run, kind, owner_id, period) do update set amount = excluded.amount',
)

const deleteLeases = bulkDelete('quota_leases', LEASE_KEY)

export function writeAccounts(
  { kind, epoch }: EpochTransaction,
  { users, tokens, budgets }: LockedAccounts,
): Compilable[] {
  const leases = [...users.values(), ...tokens.values(), ...budgets.values()]
    .filter(({ balance, leaseBefore }) => balance.lease !== leaseBefore)
    .map(({ account: { kind: accountKind, ownerId, period }, balance }) => ({
      key: { run: epoch, kind: accountKind, owner_id: ownerId, period },
      amount: balance.lease,
    }))
  const remaining = leases.filter(({ amount }) => amount > 0)
  const released = leases.filter(({ amount }) => amount === 0)
  return [
    ...writeUsers(kind, changed(users, nextUser)),
    ...writeTokens(kind, changed(tokens, nextToken)),
    ...writeBudgets(kind, changed(budgets, nextBudget)),
    ...writeLeases(
      kind,
      remaining.map(({ key, amount }) => ({ ...key, amount })),
    ),
    ...deleteLeases(
      kind,
      released.map(({ key }) => key),
    ),
  ]
}

/** Rows that differ from what was read. */
function changed<Of extends { stored: object | undefined }, Row extends object>(
  accounts: ReadonlyMap<unknown, Of>,
  next: (account: Of) => Row | undefined,
): Row[] {
  return [...accounts.values()].flatMap((account) => {
    const row = next(account)
    if (row === undefined) return []
    const before = new Map<string, unknown>(Object.entries(account.stored ?? {}))
    return Object.entries(row).some(([name, value]) => before.get(name) !== value) ? [row] : []
  })
}

function nextUser({ stored, balance, counts }: LockedUser) {
  if (stored === undefined) return undefined
  return {
    id: stored.id,
    quota: balance.quota,
    quota_leased: balance.leased,
    used_quota: saturatingSum(stored.used_quota, counts.charged),
    request_count: saturatingSum(stored.request_count, counts.requests),
  }
}

function nextToken(token: LockedToken) {
  const { stored, balance, counts } = token
  if (stored === undefined) return undefined
  return {
    id: stored.id,
    remain_quota: balance.quota,
    quota_leased: balance.leased,
    used_quota: saturatingSum(stored.used_quota, counts.charged),
    accessed_time: Math.max(stored.accessed_time, counts.accessedAt),
    status: isUsedUp(token) ? TOKEN_STATUS.exhausted : stored.status,
  }
}

function nextBudget({ limit, account, balance }: LockedBudget) {
  if (limit === undefined) return undefined
  return {
    token_id: account.ownerId,
    period_start: account.period,
    limit_quota: limit,
    spent: limit - balance.quota,
    quota_leased: balance.leased,
  }
}

/** The only place that decides when a token becomes exhausted. */
export function isUsedUp({ stored, balance }: LockedToken): boolean {
  if (stored === undefined) return false
  const isLive = stored.status === TOKEN_STATUS.enabled && stored.unlimited_quota === 0
  return isLive && stored.remain_quota > 0 && balance.quota === 0
}

/**
 * Reminds when the balance falls below the user's threshold, by default `threshold`, and when it
 * reaches 0; only once if both happen in one step. A threshold of the user of 0 stands for no mail.
 */
export function quotaReminders(
  tx: Tx,
  { users }: LockedAccounts,
  { threshold, now }: { threshold: Quota; now: Seconds },
): Compilable[] {
  return [...users.values()].flatMap(({ account, stored, balance: { quota: remaining } }) => {
    const { quota = 0, remind_below: own = null } = stored ?? {}
    if (own === 0) return []
    const below = own ?? threshold
    const falls = quota >= below && remaining < below
    const ends = quota > 0 && remaining === 0
    return falls || ends ? [quotaReminder(tx, { userId: account.ownerId, remaining }, now)] : []
  })
}
