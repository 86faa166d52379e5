import { type Kysely, sql } from 'kysely'
import { FORECAST_HOURS, type Spend } from '../domain/forecast.ts'
import { sumOf } from './rollups.ts'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>

const SECONDS_PER_HOUR = 3600

const firstHourOf = (now: number) => Math.floor(now / SECONDS_PER_HOUR) - FORECAST_HOURS

const usedHours = sql<number>`count(distinct hour)`

/** What users spent in the last seven days, in quota. `now` is in epoch seconds. */
export async function listUserSpend(
  db: Db,
  ids: readonly number[],
  now: number,
): Promise<Map<number, Spend>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('user_hours')
    .select(['user_id', sumOf('quota').as('spent'), usedHours.as('used')])
    .where('user_id', 'in', ids)
    .where('hour', '>=', firstHourOf(now))
    .groupBy('user_id')
    .execute()
  return new Map(
    rows.map((row) => [row.user_id, { spent: Number(row.spent), usedHours: Number(row.used) }]),
  )
}

export type ProviderHour = { hour: number; cost: number; attempts: number; unknown: number }

/** What channels cost in each of the last seven days' hours, in nano-dollars. */
export async function listProviderHours(
  db: Db,
  ids: readonly number[],
  now: number,
): Promise<Map<number, ProviderHour[]>> {
  const hours = new Map<number, ProviderHour[]>(ids.map((id) => [id, []]))
  if (ids.length === 0) return hours
  const rows = await db
    .selectFrom('provider_hours')
    .select(['channel_id', 'hour', sumOf('cost').as('cost')])
    .select([sumOf('attempts').as('attempts'), sumOf('unknown').as('unknown')])
    .where('channel_id', 'in', ids)
    .where('hour', '>=', firstHourOf(now))
    .groupBy(['channel_id', 'hour'])
    .execute()
  for (const { channel_id, hour, cost, attempts, unknown } of rows) {
    const sums = { cost: Number(cost), attempts: Number(attempts), unknown: Number(unknown) }
    hours.get(channel_id)?.push({ hour, ...sums })
  }
  return hours
}
