import type { ChannelStat } from '@tollgate/contract'

const HEALTH_HOURS = 24
const HOUR = 3600

/** The 24 whole hours up to the end of the current hour, in epoch seconds. */
export function healthSpan(now: number) {
  const end = (Math.floor(now / HOUR) + 1) * HOUR
  return { start_timestamp: end - HEALTH_HOURS * HOUR, end_timestamp: end }
}

/** Median latency for each hour of the span; null without requests. */
export function latencies({ buckets }: Pick<ChannelStat, 'buckets'>, start: number) {
  const byHour = new Map(buckets.map((bucket) => [bucket.start, bucket.latency_p50]))
  return Array.from({ length: HEALTH_HOURS }, (_, hour) => byHour.get(start + hour * HOUR) ?? null)
}
