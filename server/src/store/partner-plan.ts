import type { Kysely } from 'kysely'
import { USER_STATUS } from '@tollgate/contract'
import type { Database, Tx } from './database.ts'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>

/** Columns of a user that a redemption may need. */
const PARTY = ['id', 'username', 'status', 'inviter_id', 'gift_code', 'created_time'] as const

export async function findByGiftCode(db: Db, giftCode: string) {
  return db
    .selectFrom('users')
    .select(PARTY)
    .where('gift_code', '=', giftCode)
    .where('status', '=', USER_STATUS.enabled)
    .executeTakeFirst()
}

export async function findInviterId(db: Db, userId: number): Promise<number> {
  const user = await db
    .selectFrom('users')
    .select('inviter_id')
    .where('id', '=', userId)
    .executeTakeFirst()
  return user?.inviter_id ?? 0
}

/**
 * Locks the users and returns the enabled ones. Locks by ascending id, so that two transactions
 * never deadlock.
 */
export async function lockParties(tx: Tx, kind: Database['kind'], ids: readonly number[]) {
  const users = await tx
    .selectFrom('users')
    .select(PARTY)
    .where('id', 'in', ids)
    .orderBy('id')
    .$if(kind === 'postgres', (query) => query.forUpdate())
    .execute()
  return users.filter(({ status }) => status === USER_STATUS.enabled)
}

/** Whether the user has ever redeemed a code or was topped up by an administrator. */
export async function hasToppedUp(db: Db, userId: number): Promise<boolean> {
  const row = await db
    .selectFrom('credits')
    .select('id')
    .where('kind', '=', 'user')
    .where('owner_id', '=', userId)
    .where('amount', '>', 0)
    .where((eb) => eb.or([eb('source', 'like', 'redemption:%'), eb('source', 'like', 'topup:%')]))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export type Party = Awaited<ReturnType<typeof lockParties>>[number]

export async function findPartnerPlan(db: Db, userId: number) {
  return db
    .selectFrom('users')
    .select(['aff_code', 'gift_code', 'invite_balance'])
    .where('id', '=', userId)
    .executeTakeFirst()
}

/**
 * Sets the codes of a user who lacks an invite code or a gift code. Throws a unique violation if
 * another user has one of them.
 */
export async function fillInviteCode(
  tx: Tx,
  userId: number,
  codes: { aff_code: string; gift_code: string },
) {
  await tx
    .updateTable('users')
    .set(codes)
    .where('id', '=', userId)
    .where((eb) => eb.or([eb('gift_code', 'is', null), eb('aff_code', '=', '')]))
    .execute()
}

/** Users invited by this user, newest first, without closed accounts. `page` counts from 1. */
export async function listFriends(
  db: Db,
  userId: number,
  { page, size }: { page: number; size: number },
) {
  const friends = db
    .selectFrom('users')
    .where('inviter_id', '=', userId)
    .where('status', '<>', USER_STATUS.deleted)
  const rows = await friends
    .select(['created_time as invited_time', 'username'])
    .orderBy('id', 'desc')
    .limit(size)
    .offset((page - 1) * size)
    .execute()
  const { total } = await friends
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { rows, total }
}
