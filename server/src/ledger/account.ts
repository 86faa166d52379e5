import { QUOTA_MAX } from '@tollgate/contract'
import type { Database, Tx } from '../store/database.ts'

type Kind = Database['kind']

/** In SQLite the transaction itself is the lock. Everywhere users come before tokens before holds. */
export async function lockUser(tx: Tx, kind: Kind, userId: number) {
  return tx
    .selectFrom('users')
    .select(['quota', 'quota_leased', 'used_quota', 'request_count', 'status'])
    .where('id', '=', userId)
    .$if(kind === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst()
}

export async function lockToken(tx: Tx, kind: Kind, tokenId: number) {
  return tx
    .selectFrom('tokens')
    .select([
      'user_id',
      'key_hash',
      'status',
      'remain_quota',
      'quota_leased',
      'used_quota',
      'unlimited_quota',
    ])
    .where('id', '=', tokenId)
    .$if(kind === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst()
}

export type LockedUser = NonNullable<Awaited<ReturnType<typeof lockUser>>>
export type LockedToken = NonNullable<Awaited<ReturnType<typeof lockToken>>>

/** Counters stand still at the largest number rather than stop the charges that they count. */
export const saturatingSum = (a: number, b: number) => Math.min(Number.MAX_SAFE_INTEGER, a + b)

/** Throws on what only a bug of ours can have computed; nothing was stored then. */
export function assertQuota(amount: number, name: string) {
  if (Number.isInteger(amount) && amount >= 0 && amount <= QUOTA_MAX) return
  throw new RangeError(`${name} is ${amount}, which is no amount of quota`)
}
