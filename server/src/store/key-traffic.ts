import type { Kysely } from 'kysely'
import { sumOf } from './rollups.ts'
import type { Schema } from './schema.ts'

type Since = { readonly firstHour: number; readonly id: number }

/** Attempts of a channel that its provider may bill, by the fingerprint of their key. */
export async function countByKey(
  db: Kysely<Schema>,
  { firstHour, id }: Since,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('provider_hours')
    .select(['key', sumOf('attempts').as('attempts')])
    .where('channel_id', '=', id)
    .where('hour', '>=', firstHour)
    .groupBy('key')
    .execute()
  return new Map(rows.map(({ key, attempts }) => [key, Number(attempts)]))
}
