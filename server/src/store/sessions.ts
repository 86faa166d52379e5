import type { Kysely } from 'kysely'
import type { Tx } from './database.ts'
import type { Schema } from './schema.ts'
import { deleteTicketsOf } from './tickets.ts'

type Db = Kysely<Schema>

const SESSIONS_PER_USER_MAX = 50

/** An unexpired session with the current state of its user. */
export async function findSession(db: Db, idHash: string, nowSeconds: number) {
  return db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['users.id', 'users.username', 'users.role', 'users.status'])
    .select(['sessions.id as session_id', 'sessions.confirmed_at', 'sessions.last_seen_time'])
    .where('sessions.id_hash', '=', idHash)
    .where('sessions.expires_at', '>', nowSeconds)
    .executeTakeFirst()
}

export type NewSession = {
  id_hash: string
  user_id: number
  created_time: number
  expires_at: number
  address: string
  user_agent: string
}

/**
 * Inserts a session for a new login, which also counts as confirmation of identity. Deletes
 * expired sessions, and the user's oldest sessions above the limit.
 */
export async function insertSession(tx: Tx, session: NewSession) {
  const { created_time } = session
  await tx.deleteFrom('sessions').where('expires_at', '<=', created_time).execute()
  await tx
    .insertInto('sessions')
    .values({ ...session, last_seen_time: created_time, confirmed_at: created_time })
    .execute()
  const surplus = await tx
    .selectFrom('sessions')
    .select('id_hash')
    .where('user_id', '=', session.user_id)
    .orderBy('created_time', 'desc')
    .orderBy('id', 'desc')
    .limit(SESSIONS_PER_USER_MAX)
    .offset(SESSIONS_PER_USER_MAX)
    .execute()
  if (surplus.length === 0) return
  const hashes = surplus.map(({ id_hash }) => id_hash)
  await tx.deleteFrom('sessions').where('id_hash', 'in', hashes).execute()
}

/** Unexpired sessions, most recently seen first. */
export async function listSessions(db: Db, userId: number, nowSeconds: number) {
  return db
    .selectFrom('sessions')
    .select(['id', 'created_time', 'last_seen_time', 'address', 'user_agent'])
    .where('user_id', '=', userId)
    .where('expires_at', '>', nowSeconds)
    .orderBy('last_seen_time', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

type SessionUse = { address: string; user_agent: string; at: number }

/** Only the first of several concurrent requests writes. */
export async function noteSessionUse(
  db: Db,
  { sessionId, former, seen }: { sessionId: number; former: number; seen: SessionUse },
) {
  const { at, ...place } = seen
  await db
    .updateTable('sessions')
    .set({ ...place, last_seen_time: at })
    .where('id', '=', sessionId)
    .where('last_seen_time', '=', former)
    .execute()
}

export async function markConfirmed(tx: Tx, idHash: string, nowSeconds: number) {
  await tx
    .updateTable('sessions')
    .set({ confirmed_at: nowSeconds })
    .where('id_hash', '=', idHash)
    .execute()
}

export async function deleteSession(db: Db, idHash: string) {
  await db.deleteFrom('sessions').where('id_hash', '=', idHash).execute()
}

/** False if the user has no such session. */
export async function deleteOwnSession(
  tx: Tx,
  { userId, id }: { userId: number; id: number },
): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numDeletedRows === 1n
}

/** Ends all sessions of a user except `exceptIdHash`, and all logins in progress. */
export async function deleteSessionsOf(tx: Tx, userId: number, exceptIdHash = '') {
  await tx
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id_hash', '<>', exceptIdHash)
    .execute()
  await deleteTicketsOf(tx, userId)
}
