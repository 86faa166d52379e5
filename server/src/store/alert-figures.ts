import type { Kysely } from 'kysely'
import { CHANNEL_STATUS, type Seconds } from '@tollgate/contract'
import { sumOf } from './rollups.ts'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>

const SECONDS_PER_HOUR = 3600

const hourOf = (at: Seconds) => Math.floor(at / SECONDS_PER_HOUR)

/** Requests and failures since the beginning of the last hour. */
export async function recentAttempts(db: Db, now: Seconds) {
  const row = await db
    .selectFrom('model_hours')
    .select([sumOf('requests').as('requests'), sumOf('failures').as('failures')])
    .where('hour', '>=', hourOf(now) - 1)
    .executeTakeFirst()
  return { requests: Number(row?.requests ?? 0), failures: Number(row?.failures ?? 0) }
}

/** Charges since a moment, in quota, by whole hours. */
export async function chargedSince(db: Db, since: Seconds): Promise<number> {
  const row = await db
    .selectFrom('model_hours')
    .select(sumOf('quota').as('quota'))
    .where('hour', '>=', hourOf(since))
    .executeTakeFirst()
  return Number(row?.quota ?? 0)
}

/** Enabled channels with their balance, and their attempts since the beginning of the last hour. */
export async function listWatchedChannels(db: Db, now: Seconds) {
  const channels = await db
    .selectFrom('channels')
    .select(['id', 'name', 'type', 'balance', 'balance_updated_time'])
    .where('status', '=', CHANNEL_STATUS.enabled)
    .execute()
  const hours = await db
    .selectFrom('channel_hours')
    .select('channel_id')
    .select([sumOf('requests').as('requests'), sumOf('failures').as('failures')])
    .select(sumOf('lost').as('lost'))
    .where('hour', '>=', hourOf(now) - 1)
    .groupBy('channel_id')
    .execute()
  const byId = new Map(hours.map((row) => [row.channel_id, row]))
  return channels.map((channel) => {
    const { requests = 0, failures = 0, lost = 0 } = byId.get(channel.id) ?? {}
    return {
      ...channel,
      requests: Number(requests) + Number(lost),
      failures: Number(failures) + Number(lost),
    }
  })
}
