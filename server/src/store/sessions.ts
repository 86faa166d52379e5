import type { Kysely } from 'kysely'
import type { Tx } from './database.ts'
import type { Schema } from './schema.ts'

const SESSIONS_PER_USER_MAX = 50

/** The user of a living session, as the users table has them now. */
export async function findSessionUser(db: Kysely<Schema>, idHash: string, nowSeconds: number) {
  return db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['users.id', 'users.username', 'users.role', 'users.status'])
    .where('sessions.id_hash', '=', idHash)
    .where('sessions.expires_at', '>', nowSeconds)
    .executeTakeFirst()
}

export type NewSession = {
  id_hash: string
  user_id: number
  created_time: number
  expires_at: number
}

/** Sessions past their time go, and the oldest of a user who has too many. */
export async function insertSession(tx: Tx, session: NewSession) {
  await tx.deleteFrom('sessions').where('expires_at', '<=', session.created_time).execute()
  await tx.insertInto('sessions').values(session).execute()
  const surplus = await tx
    .selectFrom('sessions')
    .select('id_hash')
    .where('user_id', '=', session.user_id)
    .orderBy('created_time', 'desc')
    .orderBy('id_hash')
    .limit(SESSIONS_PER_USER_MAX)
    .offset(SESSIONS_PER_USER_MAX)
    .execute()
  if (surplus.length === 0) return
  const hashes = surplus.map(({ id_hash }) => id_hash)
  await tx.deleteFrom('sessions').where('id_hash', 'in', hashes).execute()
}

export async function deleteSession(db: Kysely<Schema>, idHash: string) {
  await db.deleteFrom('sessions').where('id_hash', '=', idHash).execute()
}

/** Ends every session of a user, but for the one that is named. */
export async function deleteSessionsOf(tx: Tx, userId: number, exceptIdHash = '') {
  await tx
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id_hash', '<>', exceptIdHash)
    .execute()
}
