import type { EndRecord } from '../record.ts'

/** What the reason of an attempt begins with when the channel is at fault, and not the request. */
const FAULTS: ReadonlySet<string> = new Set([
  'auth',
  'quota',
  'permission',
  'rate_limit',
  'overloaded',
  'upstream_fault',
  'timeout',
  'model_missing',
  'overtaken',
])

/** The channels that failed a request which went on without them, once for each attempt. */
export function channelsThatLost({
  channel,
  attempts,
}: Pick<EndRecord, 'channel' | 'attempts'>): number[] {
  const isUsual = attempts.length < 2
  if (isUsual) return []
  // The request itself is counted as answered or failed there.
  const own = attempts.findLastIndex((attempt) => attempt.channel === channel)
  return attempts
    .filter(({ reason }, index) => index !== own && FAULTS.has(reason.split(':', 1)[0] ?? ''))
    .map((attempt) => attempt.channel)
}
