import type { Kysely } from 'kysely'
import { type ChannelStat, STAT_CHANNELS_MAX, type StatStep } from '@tollgate/contract'
import type { HourSpan } from '../../domain/hour-span.ts'
import { estimatePercentile } from '../../domain/percentile.ts'
import { listChannelBuckets, listChannelUsage } from '../../store/channel-usage.ts'
import { HISTOGRAM_BOUNDS_MS, type Schema } from '../../store/schema.ts'

type Wanted = { hours: HourSpan; step: StatStep; ids: readonly number[] }

const HALF = 0.5
const NEARLY_ALL = 0.95

const percentile = (counts: readonly number[], share: number) =>
  estimatePercentile({ counts, bounds: HISTOGRAM_BOUNDS_MS }, share)

export async function listChannelStats(
  db: Kysely<Schema>,
  { hours, step, ids }: Wanted,
): Promise<ChannelStat[]> {
  const channels = await listChannelUsage(db, { hours, ids, limit: STAT_CHANNELS_MAX })
  const shown = channels.map(({ channel_id }) => channel_id)
  const buckets = await listChannelBuckets(db, { hours, ids: shown, step })
  const bucketsOf = Map.groupBy(buckets, ({ channel_id }) => channel_id)
  return channels.map(({ latency, first_token, ...channel }) => ({
    ...channel,
    latency_p50: percentile(latency, HALF),
    latency_p95: percentile(latency, NEARLY_ALL),
    first_token_p50: percentile(first_token, HALF),
    buckets: (bucketsOf.get(channel.channel_id) ?? []).map((bucket) => ({
      start: bucket.start,
      requests: bucket.requests,
      failures: bucket.failures,
      latency_p50: percentile(bucket.latency, HALF),
    })),
  }))
}
