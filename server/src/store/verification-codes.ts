import type { Kysely } from 'kysely'
import type { Tx } from './database.ts'
import type { Schema } from './schema.ts'

/**
 * `verification` proves that someone receives the mail of an address; `reset` sets a new password.
 */
type Purpose = 'verification' | 'reset'

/** The submitted code or token, hashed. */
export type HashedCode = { purpose: Purpose; email: string; code_hash: string }

/**
 * All wrong attempts at a code count together. With 2^30 codes of six characters, ten guesses
 * succeed with a probability of 1 in 100 million.
 */
const TRIES_MAX = 10

/** Replaces the previous code and deletes expired codes. */
export async function putCode(tx: Tx, code: HashedCode & { expires_at: number }, now: number) {
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
 * Checks a token that is too long to guess. Wrong tokens are not counted; otherwise anyone could
 * invalidate the token.
 */
export async function isRightToken(
  db: Kysely<Schema>,
  { purpose, email, code_hash }: HashedCode,
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

/** Identifies the current code of an address for counting attempts; undefined if there is none. */
export async function findCodeHash(
  db: Kysely<Schema>,
  { purpose, email }: Pick<HashedCode, 'purpose' | 'email'>,
): Promise<string | undefined> {
  const code = await db
    .selectFrom('verification_codes')
    .select('code_hash')
    .where('purpose', '=', purpose)
    .where('email', '=', email)
    .executeTakeFirst()
  return code?.code_hash
}

/** Whether the code is right. Every wrong attempt counts against the code. */
export async function tryCode(
  db: Kysely<Schema>,
  { purpose, email, code_hash }: HashedCode,
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

/** Deletes a code that was right; false if another request has used it. */
export async function spendCode(
  tx: Tx,
  { purpose, email, code_hash }: HashedCode,
): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('verification_codes')
    .where('purpose', '=', purpose)
    .where('email', '=', email)
    .where('code_hash', '=', code_hash)
    .executeTakeFirstOrThrow()
  return numDeletedRows === 1n
}
