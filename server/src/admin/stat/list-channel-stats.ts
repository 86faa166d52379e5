import type { Kysely } from 'kysely'
import { type ChannelStat, STAT_BUSIEST_MAX, type StatStep } from '@tollgate/contract'
import {
  type ChannelBucket,
  listBusiestChannels,
  listChannelBuckets,
} from '../../store/channel-usage.ts'
import { findChannelNames } from '../../store/channels.ts'
import type { HourSpan } from '../../store/hour-span.ts'
import { HISTOGRAM_BOUNDS_MS } from '../../store/hour-tables.ts'
import { sumFigures } from '../../store/rollups.ts'
import type { Schema } from '../../store/schema.ts'
import { estimatePercentile } from './percentile.ts'

type ChannelStatFilter = { hours: HourSpan; step: StatStep; ids: readonly number[] }

const P50 = 0.5
const P95 = 0.95

/** Busiest first. Requested channels without requests are omitted. */
export async function listChannelStats(
  db: Kysely<Schema>,
  { hours, step, ids }: ChannelStatFilter,
): Promise<ChannelStat[]> {
  const shown = ids.length > 0 ? ids : await listBusiestChannels(db, hours, STAT_BUSIEST_MAX)
  const buckets = await listChannelBuckets(db, { hours, ids: shown, step })
  const names = await findChannelNames(db, shown)
  return [...Map.groupBy(buckets, ({ channel_id }) => channel_id)]
    .map(([id, itsBuckets]) => statOf(id, names.get(id) ?? '', itsBuckets))
    .toSorted((a, b) => b.requests + b.lost - a.requests - a.lost || a.channel_id - b.channel_id)
}

function statOf(id: number, name: string, buckets: readonly ChannelBucket[]): ChannelStat {
  const latency = addCounts(buckets.map((bucket) => bucket.latency))
  const firstToken = addCounts(buckets.map((bucket) => bucket.first_token))
  return {
    channel_id: id,
    name,
    ...sumFigures(buckets),
    lost: buckets.reduce((sum, { lost }) => sum + lost, 0),
    unbilled_quota: buckets.reduce((sum, { unbilled_quota }) => sum + unbilled_quota, 0),
    latency_p50: percentile(latency, P50),
    latency_p95: percentile(latency, P95),
    first_token_p50: percentile(firstToken, P50),
    buckets: buckets.map((bucket) => ({
      start: bucket.start,
      requests: bucket.requests,
      failures: bucket.failures,
      latency_p50: percentile(bucket.latency, P50),
    })),
  }
}

const percentile = (counts: readonly number[], share: number) =>
  estimatePercentile({ counts, bounds: HISTOGRAM_BOUNDS_MS }, share)

const addCounts = (rows: readonly (readonly number[])[]) =>
  Array.from({ length: HISTOGRAM_BOUNDS_MS.length + 1 }, (_, index) =>
    rows.reduce((sum, counts) => sum + (counts[index] ?? 0), 0),
  )
