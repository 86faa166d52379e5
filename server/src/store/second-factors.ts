import { type ExpressionBuilder, type Kysely, sql } from 'kysely'
import type { Tx } from './database.ts'
import type { Schema } from './schema.ts'
import type { PasskeysTable } from './second-factor-tables.ts'

type Db = Kysely<Schema>

/** 1 for a user who has an authenticator app or a passkey. */
export const hasFactor = (eb: ExpressionBuilder<Schema, 'users'>) =>
  eb
    .case()
    .when(
      eb.or([
        eb.exists(
          eb
            .selectFrom('second_factors')
            .select('second_factors.user_id')
            .whereRef('second_factors.user_id', '=', 'users.id')
            .where('second_factors.totp_sealed', '<>', ''),
        ),
        eb.exists(
          eb
            .selectFrom('passkeys')
            .select('passkeys.id')
            .whereRef('passkeys.user_id', '=', 'users.id'),
        ),
      ]),
    )
    .then(sql.lit(1 as const))
    .else(sql.lit(0 as const))
    .end()

export async function hasSecondFactor(db: Db, userId: number): Promise<boolean> {
  const user = await db
    .selectFrom('users')
    .select((eb) => hasFactor(eb).as('has_factor'))
    .where('id', '=', userId)
    .executeTakeFirst()
  return user?.has_factor === 1
}

export type Passkey = Omit<PasskeysTable, 'id' | 'last_used_time'> & {
  id: number
  last_used_time: number
}

export type FactorSet = {
  totp_sealed: string
  passkeys: Passkey[]
  recovery_codes_left: number
}

export async function readFactors(db: Db, userId: number): Promise<FactorSet> {
  const row = await findFactorRow(db, userId)
  const passkeys = await db
    .selectFrom('passkeys')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute()
  return {
    totp_sealed: row?.totp_sealed ?? '',
    passkeys,
    recovery_codes_left: await countRecoveryCodes(db, userId),
  }
}

export const findFactorRow = (db: Db, userId: number) =>
  db.selectFrom('second_factors').selectAll().where('user_id', '=', userId).executeTakeFirst()

/** Returns the user's handle for authenticators. An existing handle is kept. */
export async function ensureUserHandle(
  tx: Tx,
  { userId, newHandle }: { userId: number; newHandle: string },
): Promise<string> {
  await tx
    .insertInto('second_factors')
    .values({ user_id: userId, user_handle: newHandle })
    .onConflict((conflict) => conflict.column('user_id').doNothing())
    .execute()
  const row = await findFactorRow(tx, userId)
  return row?.user_handle ?? newHandle
}

export async function putPendingTotp(
  tx: Tx,
  { userId, sealed, until }: { userId: number; sealed: string; until: number },
) {
  await tx
    .updateTable('second_factors')
    .set({ pending_totp_sealed: sealed, pending_totp_until: until })
    .where('user_id', '=', userId)
    .execute()
}

/**
 * Replaces the current secret by the pending one. `step` is the time step of the code that
 * confirmed it.
 */
export async function enableTotp(
  tx: Tx,
  { userId, sealed, step }: { userId: number; sealed: string; step: number },
) {
  await tx
    .updateTable('second_factors')
    .set({ totp_sealed: sealed, totp_step: step, pending_totp_sealed: '', pending_totp_until: 0 })
    .where('user_id', '=', userId)
    .execute()
}

export async function disableTotp(tx: Tx, userId: number) {
  await tx
    .updateTable('second_factors')
    .set({ totp_sealed: '', totp_step: 0, pending_totp_sealed: '', pending_totp_until: 0 })
    .where('user_id', '=', userId)
    .execute()
}

/** Accepts a code once per time step, and never for an earlier step. */
export async function spendTotpStep(
  db: Db,
  { userId, sealed, step }: { userId: number; sealed: string; step: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('second_factors')
    .set({ totp_step: step })
    .where('user_id', '=', userId)
    .where('totp_sealed', '=', sealed)
    .where('totp_step', '<', step)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

export async function countRecoveryCodes(db: Db, userId: number): Promise<number> {
  const { count } = await db
    .selectFrom('recovery_codes')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function replaceRecoveryCodes(tx: Tx, userId: number, hashes: readonly string[]) {
  await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  if (hashes.length === 0) return
  const rows = hashes.map((code_hash) => ({ user_id: userId, code_hash }))
  await tx.insertInto('recovery_codes').values(rows).execute()
}

/** True for exactly one caller. */
export async function spendRecoveryCode(
  db: Db,
  { userId, hash }: { userId: number; hash: string },
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('recovery_codes')
    .where('user_id', '=', userId)
    .where('code_hash', '=', hash)
    .executeTakeFirstOrThrow()
  return numDeletedRows === 1n
}

export const findPasskey = (db: Db, credentialId: string) =>
  db
    .selectFrom('passkeys')
    .innerJoin('second_factors', 'second_factors.user_id', 'passkeys.user_id')
    .selectAll('passkeys')
    .select('second_factors.user_handle')
    .where('credential_id', '=', credentialId)
    .executeTakeFirst()

export async function insertPasskey(
  tx: Tx,
  passkey: Omit<Passkey, 'id' | 'last_used_time'>,
): Promise<Passkey> {
  return tx.insertInto('passkeys').values(passkey).returningAll().executeTakeFirstOrThrow()
}

/** False if the counter has changed since it was read, because another request used the passkey. */
export async function usePasskey(
  db: Db,
  { id, before, counter, now }: { id: number; before: number; counter: number; now: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('passkeys')
    .set({ counter, last_used_time: now })
    .where('id', '=', id)
    .where('counter', '=', before)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

type OwnPasskey = { userId: number; id: number }

export const renamePasskey = (tx: Tx, { userId, id }: OwnPasskey, name: string) =>
  tx
    .updateTable('passkeys')
    .set({ name })
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()

export const deletePasskey = (tx: Tx, { userId, id }: OwnPasskey) =>
  tx
    .deleteFrom('passkeys')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()

/** Also deletes the user's handle and recovery codes. */
export async function deleteSecondFactors(tx: Tx, userId: number) {
  for (const table of ['passkeys', 'recovery_codes', 'second_factors'] as const) {
    await tx.deleteFrom(table).where('user_id', '=', userId).execute()
  }
}
