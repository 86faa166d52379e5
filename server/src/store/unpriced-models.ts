import type { Kysely } from 'kysely'
import type { Tx } from './database.ts'
import type { Schema } from './schema.ts'

export type UnpricedUse = {
  readonly model: string
  /** Requests charged at the default ratio. */
  readonly charged: number
  readonly rejected: number
}

/** Adds requests. Returns true for a model of which no request was known. `now` is in seconds. */
export async function addUnpricedUse(tx: Tx, use: UnpricedUse, now: number): Promise<boolean> {
  const { model, charged, rejected } = use
  const inserted = await tx
    .insertInto('unpriced_models')
    .values({ model, charged, rejected, first_at: now, last_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if (inserted.numInsertedOrUpdatedRows === 1n) return true
  await tx
    .updateTable('unpriced_models')
    .set(({ eb, ref }) => ({
      charged: eb(ref('charged'), '+', charged),
      rejected: eb(ref('rejected'), '+', rejected),
      last_at: now,
    }))
    .where('model', '=', model)
    .execute()
  return false
}

/** The most recently requested first. */
export const listUnpricedModels = (db: Kysely<Schema>, limit: number) =>
  db
    .selectFrom('unpriced_models')
    .selectAll()
    .orderBy('last_at', 'desc')
    .orderBy('model')
    .limit(limit)
    .execute()
