import { isChannelFault } from '../../domain/channel-fault.ts'
import type { EndRecord } from '../record.ts'

/** Channels at fault for attempts that the request did not end with, once per attempt. */
export function channelsThatLost({
  channel,
  attempts,
}: Pick<EndRecord, 'channel' | 'attempts'>): number[] {
  const isUsual = attempts.length < 2
  if (isUsual) return []
  // The request itself is counted, as answered or failed, for the channel of this attempt.
  const servedIndex = attempts.findLastIndex((attempt) => attempt.channel === channel)
  return attempts
    .filter(({ reason }, index) => index !== servedIndex && isChannelFault(reason))
    .map((attempt) => attempt.channel)
}
