import { type Kysely, sql } from 'kysely'
import { CHANNEL_STATUS } from '@tollgate/contract'
import { HISTOGRAM_BUCKETS } from './hour-tables.ts'
import { sumOf } from './rollups.ts'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>

/** Which enabled channel serves which model to which of the groups, by model and channel. */
export async function listOffers(db: Db, groups: readonly string[]) {
  return db
    .selectFrom('abilities')
    .innerJoin('channels', 'channels.id', 'abilities.channel_id')
    .select(['abilities.group', 'abilities.model', 'abilities.channel_id'])
    .where('abilities.group', 'in', groups)
    .where('channels.status', '=', CHANNEL_STATUS.enabled)
    .orderBy('abilities.model')
    .orderBy('abilities.channel_id')
    .execute()
}

export const listEnabledChannels = (db: Db) =>
  db
    .selectFrom('channels')
    .select(['id', 'type', 'model_mapping', 'config'])
    .where('status', '=', CHANNEL_STATUS.enabled)
    .execute()

const FIRST_TOKEN = HISTOGRAM_BUCKETS.map((bucket) => `first_token_${bucket}` as const)

/** Requests of everyone since the hour, by model. The histogram is an array of counts. */
export async function listModelHealth(db: Db, firstHour: number) {
  const rows = await db
    .selectFrom('rollups')
    .select(['model_name', sumOf('requests').as('requests'), sumOf('failures').as('failures')])
    .select(FIRST_TOKEN.map((column) => sql<number>`sum(${sql.ref(column)})`.as(column)))
    .where('hour', '>=', firstHour)
    .groupBy('model_name')
    .execute()
  return new Map(
    rows.map((row) => [
      row.model_name,
      {
        requests: Number(row.requests),
        failures: Number(row.failures),
        firstToken: FIRST_TOKEN.map((column) => Number(row[column])),
      },
    ]),
  )
}

export type ModelHealth = Awaited<ReturnType<typeof listModelHealth>>
