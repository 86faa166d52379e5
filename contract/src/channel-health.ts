import { z } from 'zod'
import { seconds } from './units.ts'

/**
 * The state of a channel in a word, the worst first. `failing`: most attempts fail, or the gateway
 * has disabled it. `cooling`: the circuit breaker skips it for the moment. `off`: an administrator
 * has disabled it.
 */
export const HEALTH_WORDS = [
  'failing',
  'cooling',
  'slow',
  'degraded',
  'untested',
  'healthy',
  'off',
] as const

export type HealthWord = (typeof HEALTH_WORDS)[number]

/** What is most likely to help: a key, a test, the switch, a look at the models; or nothing. */
export const HEALTH_HELPS = ['', 'key', 'test', 'enable', 'models'] as const

export type HealthHelp = (typeof HEALTH_HELPS)[number]

export const channelHealthSchema = z.object({
  word: z.enum(HEALTH_WORDS),
  /** For people, in their language. */
  reason: z.string(),
  /** Since when the reason holds, in epoch seconds; 0 if unknown. */
  since: seconds,
  help: z.enum(HEALTH_HELPS),
  /** Attempts of the last 24 hours, without those that the client caused to fail. */
  attempts: z.int(),
  /** Attempts of the last 24 hours that failed through the channel. */
  faults: z.int(),
})

export type ChannelHealthAnswer = z.output<typeof channelHealthSchema>
