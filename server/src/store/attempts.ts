import { type Expression, type Kysely, sql } from 'kysely'
import type { Seconds } from '@tollgate/contract'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>

/*
 * Each function counts in a single statement, which both databases serialize. Concurrent callers in
 * any number of processes therefore count correctly. `now` is the clock that they share.
 */
type Now = Expression<Seconds>

const after = (now: Now, seconds: number) => sql<Seconds>`${now} + ${seconds}`

/**
 * Counts an attempt in the window that the first attempt opened. Returns null, or the seconds until
 * the window ends when `most` attempts are already counted. A refused attempt is not counted.
 */
export async function takeAttempt(
  db: Db,
  { key_hash, most, seconds }: { key_hash: string; most: number; seconds: number },
  now: Now,
): Promise<number | null> {
  await removeExpired(db, now)
  const counted = await db
    .insertInto('attempts')
    .values({ key_hash, taken: 1, expires_at: after(now, seconds) })
    .onConflict((conflict) =>
      conflict
        .column('key_hash')
        .doUpdateSet((eb) => {
          const isOver = eb('attempts.expires_at', '<=', now)
          const either = eb.case().when(isOver)
          return {
            taken: either
              .then(1)
              .else(eb('attempts.taken', '+', 1))
              .end(),
            expires_at: either
              .then(eb.ref('excluded.expires_at'))
              .else(eb.ref('attempts.expires_at'))
              .end(),
          }
        })
        .where((eb) =>
          eb.or([eb('attempts.expires_at', '<=', now), eb('attempts.taken', '<', most)]),
        ),
    )
    .returning('taken')
    .executeTakeFirst()
  if (counted) return null
  const full = await db
    .selectFrom('attempts')
    .select((eb) => eb('expires_at', '-', now).as('seconds'))
    .where('key_hash', '=', key_hash)
    .executeTakeFirst()
  return Math.max(1, full?.seconds ?? 0)
}

export async function releaseAttempt(db: Db, keyHash: string) {
  await db
    .updateTable('attempts')
    .set((eb) => ({ taken: eb('taken', '-', 1) }))
    .where('key_hash', '=', keyHash)
    .where('taken', '>', 0)
    .execute()
}

export async function putMark(
  db: Db,
  { key_hash, seconds }: { key_hash: string; seconds: number },
  now: Now,
) {
  await removeExpired(db, now)
  const expires_at = after(now, seconds)
  await db
    .insertInto('attempts')
    .values({ key_hash, taken: 0, expires_at })
    .onConflict((conflict) => conflict.column('key_hash').doUpdateSet({ expires_at }))
    .execute()
}

export async function hasMark(db: Db, keyHash: string, now: Now): Promise<boolean> {
  const row = await db
    .selectFrom('attempts')
    .select('key_hash')
    .where('key_hash', '=', keyHash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return row !== undefined
}

/** True for exactly one caller. */
export async function spendMark(db: Db, keyHash: string, now: Now): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('attempts')
    .where('key_hash', '=', keyHash)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow()
  return numDeletedRows === 1n
}

async function removeExpired(db: Db, now: Now) {
  await db.deleteFrom('attempts').where('expires_at', '<=', now).execute()
}
