import { type Kysely, sql } from 'kysely'
import { HISTOGRAM_BUCKETS } from './hour-tables.ts'
import { sumOf } from './rollups.ts'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>

/** Hours since the epoch, from `firstHour` on. */
type Since = { readonly firstHour: number; readonly ids: readonly number[] }

const HISTOGRAMS = (['latency', 'first_token'] as const).flatMap((name) =>
  HISTOGRAM_BUCKETS.map((bucket) => `${name}_${bucket}` as const),
)

const answersOf = (db: Db, { firstHour, ids }: Since) =>
  db
    .selectFrom('channel_hours')
    .select(['channel_id', 'hour'])
    .select(sql<number>`requests - failures`.as('answers'))
    .where('hour', '>=', firstHour)
    .where('channel_id', 'in', ids)

/** Answered requests of channels by the hour, with their times. Failed requests are left out. */
export async function listAnswers(db: Db, { firstHour, ids }: Since) {
  if (ids.length === 0) return []
  const rows = await answersOf(db, { firstHour, ids }).select(HISTOGRAMS).execute()
  return rows.map((row) => ({
    channel_id: row.channel_id,
    hour: row.hour,
    answers: row.answers,
    latency: HISTOGRAM_BUCKETS.map((bucket) => row[`latency_${bucket}`]),
    first_token: HISTOGRAM_BUCKETS.map((bucket) => row[`first_token_${bucket}`]),
  }))
}

export type AnswerHour = Awaited<ReturnType<typeof listAnswers>>[number]

/** Answered requests of channels by the hour. Failed requests are left out. */
export async function countAnswers(db: Db, { firstHour, ids }: Since) {
  if (ids.length === 0) return []
  return answersOf(db, { firstHour, ids }).execute()
}

/** Failed attempts of channels by the hour and kind, the latest last. */
export async function listFaults(db: Db, { firstHour, ids }: Since) {
  if (ids.length === 0) return []
  return db
    .selectFrom('channel_faults')
    .select(['channel_id', 'hour', 'kind', 'model_name', 'key', 'status', 'reason'])
    .select(['request_id', 'faults', 'last_at'])
    .where('hour', '>=', firstHour)
    .where('channel_id', 'in', ids)
    .orderBy('last_at')
    .orderBy('kind')
    .orderBy('model_name')
    .execute()
}

/** Answered requests of a channel by requested model. */
export async function listAnswersByModel(
  db: Db,
  { firstHour, id }: { firstHour: number; id: number },
) {
  return db
    .selectFrom('rollups')
    .select(['model_name', sql<number>`sum(requests - failures)`.as('answers')])
    .select([sumOf('quota').as('quota'), sumOf('provider_cost').as('provider_cost')])
    .select(sumOf('costed_quota').as('costed_quota'))
    .where('hour', '>=', firstHour)
    .where('channel_id', '=', id)
    .groupBy('model_name')
    .execute()
}

/** Deletes what is older than any page shows. */
export async function deleteFaultsBefore(db: Db, hour: number): Promise<void> {
  await db.deleteFrom('channel_faults').where('hour', '<', hour).execute()
}
