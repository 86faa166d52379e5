import { type AliasedRawBuilder, type Kysely, sql } from 'kysely'
import type { StatStep } from '@tollgate/contract'
import type { HourSpan } from '../domain/hour-span.ts'
import { figures, firstHourOf, secondsOf, sumOf } from './rollups.ts'
import { HISTOGRAM_BUCKETS, type Schema } from './schema.ts'

type Db = Kysely<Schema>

/** What a request has that reached no channel. */
const NO_CHANNEL = 0

const within = (db: Db, { firstHour, endHour }: HourSpan) =>
  db.selectFrom('rollups').where('hour', '>=', firstHour).where('hour', '<', endHour)

type Name = 'latency' | 'first_token'
type HistogramColumn = `${Name}_${(typeof HISTOGRAM_BUCKETS)[number]}`
type HistogramRow = Record<HistogramColumn, number>

const histogramColumns = (name: Name): HistogramColumn[] =>
  HISTOGRAM_BUCKETS.map((bucket) => `${name}_${bucket}` as const)

const histogram = (name: Name): AliasedRawBuilder<number, HistogramColumn>[] =>
  histogramColumns(name).map((column) => sumOf(column).as(column))

const countsOf = (row: HistogramRow, name: Name) =>
  histogramColumns(name).map((column) => row[column])

/** The busiest first; all channels when none is named. */
export async function listChannelUsage(
  db: Db,
  { hours, ids, limit }: { hours: HourSpan; ids: readonly number[]; limit: number },
) {
  const busiest = within(db, hours)
    .select(['channel_id', ...figures(), ...histogram('latency'), ...histogram('first_token')])
    .where('channel_id', '<>', NO_CHANNEL)
    .$if(ids.length > 0, (rows) => rows.where('channel_id', 'in', ids))
    .groupBy('channel_id')
    .orderBy('requests', 'desc')
    .orderBy('channel_id')
    .limit(limit)
  const rows = await db
    .selectFrom(busiest.as('busiest'))
    .leftJoin('channels', 'channels.id', 'busiest.channel_id')
    .selectAll('busiest')
    .select((eb) => eb.fn.coalesce('channels.name', sql.lit('')).as('name'))
    .orderBy('busiest.requests', 'desc')
    .orderBy('busiest.channel_id')
    .execute()
  return rows.map((row) => ({
    channel_id: row.channel_id,
    name: row.name,
    requests: row.requests,
    failures: row.failures,
    quota: row.quota,
    prompt_tokens: row.prompt_tokens,
    completion_tokens: row.completion_tokens,
    latency: countsOf(row, 'latency'),
    first_token: countsOf(row, 'first_token'),
  }))
}

/** Oldest first. */
export async function listChannelBuckets(
  db: Db,
  { hours, ids, step }: { hours: HourSpan; ids: readonly number[]; step: StatStep },
) {
  if (ids.length === 0) return []
  const firstHour = firstHourOf(step, hours)
  const rows = await within(db, hours)
    .select(['channel_id', firstHour.as('first_hour')])
    .select([sumOf('requests').as('requests'), sumOf('failures').as('failures')])
    .select(histogram('latency'))
    .where('channel_id', 'in', ids)
    .groupBy(['channel_id', firstHour])
    .orderBy('first_hour')
    .execute()
  return rows.map((row) => ({
    channel_id: row.channel_id,
    start: secondsOf(row.first_hour),
    requests: row.requests,
    failures: row.failures,
    latency: histogramColumns('latency').map((column) => row[column]),
  }))
}
