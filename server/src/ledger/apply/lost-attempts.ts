import { isChannelFault } from '../../domain/channel-fault.ts'
import type { EndRecord } from '../record.ts'

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
    .filter(({ reason }, index) => index !== own && isChannelFault(reason))
    .map((attempt) => attempt.channel)
}
