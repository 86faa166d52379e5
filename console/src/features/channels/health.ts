import type { ChannelStat } from '@tollgate/contract'
import { NO_VALUE } from '../../lib/format.ts'

const HEALTH_HOURS = 24
const HOUR = 3600

/** The span of whole hours that ends with the hour of `now`; epoch seconds. */
export function healthSpan(now: number) {
  const end = (Math.floor(now / HOUR) + 1) * HOUR
  return { start_timestamp: end - HEALTH_HOURS * HOUR, end_timestamp: end }
}

type Counted = Pick<ChannelStat, 'requests' | 'failures'>

/** The share of requests that were answered, never rounded up to all of them. */
export function successText({ requests, failures }: Counted): string {
  if (requests === 0) return NO_VALUE
  const tenths = Math.floor(((requests - failures) / requests) * 1000)
  return `${(tenths / 10).toFixed(1)} %`
}

export function successTone({ requests, failures }: Counted): 'good' | 'slow' | 'bad' | 'off' {
  if (requests === 0) return 'off'
  const share = (requests - failures) / requests
  if (share >= 0.99) return 'good'
  return share >= 0.9 ? 'slow' : 'bad'
}

/** How long an answer took in each hour of the span, null where none came. */
export function latencies({ buckets }: Pick<ChannelStat, 'buckets'>, start: number) {
  const byHour = new Map(buckets.map((bucket) => [bucket.start, bucket.latency_p50]))
  return Array.from({ length: HEALTH_HOURS }, (_, hour) => byHour.get(start + hour * HOUR) ?? null)
}
