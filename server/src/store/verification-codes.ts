import type { Kysely } from 'kysely'
import type { Tx } from './database.ts'
import type { Schema } from './schema.ts'

/** `verification` proves that somebody reads the mail of an address, `reset` gives a new password. */
type Purpose = 'verification' | 'reset'

/** What was typed or followed, hashed; times are epoch seconds. */
export type GivenCode = { purpose: Purpose; email: string; code_hash: string }

/**
 * All who guess what is short enough to be typed are done after so many wrong tries: of the 2^30 codes of six characters,
 * they find one with a chance of 1 to 100 million.
 */
const TRIES_MAX = 10

/** A new code takes the place of the old one; those past their time go. */
export async function putCode(tx: Tx, code: GivenCode & { expires_at: number }, now: number) {
  await tx.deleteFrom('verification_codes').where('expires_at', '<=', now).execute()
  const { code_hash, expires_at } = code
  await tx
    .insertInto('verification_codes')
    .values({ ...code, tries: 0 })
    .onConflict((conflict) =>
      conflict.columns(['purpose', 'email']).doUpdateSet({ code_hash, expires_at, tries: 0 }),
    )
    .execute()
}

/**
 * Whether a token that is too long to be guessed is the right one. Wrong ones count for nothing here, or
 * anybody could kill it.
 */
export async function isRightToken(
  db: Kysely<Schema>,
  { purpose, email, code_hash }: GivenCode,
  now: number,
): Promise<boolean> {
  const code = await db
    .selectFrom('verification_codes')
    .select('email')
    .where('purpose', '=', purpose)
    .where('email', '=', email)
    .where('code_hash', '=', code_hash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return code !== undefined
}

/** What names the code of an address in the counts of its tries; undefined where there is none. */
export async function findCodeHash(
  db: Kysely<Schema>,
  { purpose, email }: Pick<GivenCode, 'purpose' | 'email'>,
): Promise<string | undefined> {
  const code = await db
    .selectFrom('verification_codes')
    .select('code_hash')
    .where('purpose', '=', purpose)
    .where('email', '=', email)
    .executeTakeFirst()
  return code?.code_hash
}

/** Tells whether the code is right; a wrong try counts against it, whoever made it. */
export async function tryCode(
  db: Kysely<Schema>,
  { purpose, email, code_hash }: GivenCode,
  now: number,
): Promise<boolean> {
  const code = await db
    .updateTable('verification_codes')
    .set((eb) => ({
      tries: eb
        .case()
        .when('code_hash', '=', code_hash)
        .then(eb.ref('tries'))
        .else(eb('tries', '+', 1))
        .end(),
    }))
    .where('purpose', '=', purpose)
    .where('email', '=', email)
    .where('expires_at', '>', now)
    .where('tries', '<', TRIES_MAX)
    .returning('code_hash')
    .executeTakeFirst()
  return code?.code_hash === code_hash
}

/** Uses up a code that was right; false when another was quicker. */
export async function spendCode(
  tx: Tx,
  { purpose, email, code_hash }: GivenCode,
): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('verification_codes')
    .where('purpose', '=', purpose)
    .where('email', '=', email)
    .where('code_hash', '=', code_hash)
    .executeTakeFirstOrThrow()
  return numDeletedRows === 1n
}
