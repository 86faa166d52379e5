import { type AliasedRawBuilder, type Kysely, sql } from 'kysely'
import type { StatStep } from '@tollgate/contract'
import type { HourSpan } from './hour-span.ts'
import { HISTOGRAM_BUCKETS } from './hour-tables.ts'
import { figures, firstHourOf, secondsOf, sumOf } from './rollups.ts'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>

/** The `channel_id` of a request that reached no channel. */
const NO_CHANNEL = 0

const within = (db: Db, { firstHour, endHour }: HourSpan) =>
  db
    .selectFrom('channel_hours')
    .where('hour', '>=', firstHour)
    .where('hour', '<', endHour)
    .where('channel_id', '<>', NO_CHANNEL)

export async function listBusiestChannels(db: Db, hours: HourSpan, limit: number) {
  const rows = await within(db, hours)
    .select(['channel_id', sql<number>`sum(requests + lost)`.as('attempts')])
    .groupBy('channel_id')
    .orderBy('attempts', 'desc')
    .orderBy('channel_id')
    .limit(limit)
    .execute()
  return rows.map(({ channel_id }) => channel_id)
}

type Name = 'latency' | 'first_token'
type HistogramColumn = `${Name}_${(typeof HISTOGRAM_BUCKETS)[number]}`

const histogramColumns = (name: Name): HistogramColumn[] =>
  HISTOGRAM_BUCKETS.map((bucket) => `${name}_${bucket}` as const)

const histogram = (name: Name): AliasedRawBuilder<number, HistogramColumn>[] =>
  histogramColumns(name).map((column) => sumOf(column).as(column))

const countsOf = (row: Record<HistogramColumn, number>, name: Name) =>
  histogramColumns(name).map((column) => row[column])

/** Usage per channel and time step, oldest first. Histograms are arrays of counts per bucket. */
export async function listChannelBuckets(
  db: Db,
  { hours, ids, step }: { hours: HourSpan; ids: readonly number[]; step: StatStep },
) {
  if (ids.length === 0) return []
  const firstHour = firstHourOf(step, hours)
  const rows = await within(db, hours)
    .select(['channel_id', firstHour.as('first_hour'), ...figures()])
    .select([sumOf('lost').as('lost'), sumOf('unbilled_quota').as('unbilled_quota')])
    .select([...histogram('latency'), ...histogram('first_token')])
    .where('channel_id', 'in', ids)
    .groupBy(['channel_id', firstHour])
    .orderBy('first_hour')
    .execute()
  return rows.map((row) => ({
    channel_id: row.channel_id,
    start: secondsOf(row.first_hour),
    requests: row.requests,
    failures: row.failures,
    lost: row.lost,
    unbilled_quota: row.unbilled_quota,
    quota: row.quota,
    prompt_tokens: row.prompt_tokens,
    completion_tokens: row.completion_tokens,
    latency: countsOf(row, 'latency'),
    first_token: countsOf(row, 'first_token'),
  }))
}

export type ChannelBucket = Awaited<ReturnType<typeof listChannelBuckets>>[number]
