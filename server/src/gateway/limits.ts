import { type Cooldown, COOLDOWN } from '../domain/channel-health.ts'
import { REALTIME_LIMITS, type RealtimeLimits } from './realtime/limits.ts'

/** What the gateway allows its clients, and itself; tests pass shorter ones. */
export type GatewayLimits = {
  readonly bodyBytesMax: number
  /** Of all bodies that have begun to arrive, together: they come before the limits of their callers are known. */
  readonly arrivingBytesMax: number
  /** For the whole body of a request to arrive. */
  readonly bodyMs: number
  /** How long a body that is refused is still read, so that its sender sees the answer. */
  readonly lingerMs: number
  /** For all tries at all channels together; none is started after it. */
  readonly triesMs: number
  /** What an answer in one piece is thought to take until enough have come to know better. */
  readonly usualWholeMs: number
  /** How long a channel is passed over that fails; grows from the first to the most. */
  readonly cooldown: Cooldown
  /** How long usage and the end of a stream are waited for once everything has been said. */
  readonly tailMs: number
  /** How long a stream whose output shows is read on after its client has left, and anything in a server that stops. */
  readonly drainMs: number
  /** The same for answers of which only the end tells what they cost. */
  readonly unseenDrainMs: number
  /** Answers of one user that are read on at once without their clients, in this process. */
  readonly abandonedMax: number
  /** A client that takes nothing for this long is as good as gone. */
  readonly clientStallMs: number
  /** A provider that a client keeps waiting for longer, in all, may break off because of that. */
  readonly keptWaitingMs: number
  /** Within which nearly all answers are taken; only for the others both of these times are watched, from then on. */
  readonly takenAtOnceMs: number
  /** For the last bytes of an answer to be taken, however slowly. */
  readonly sendMs: number
  /** How long an answer waits for its charge to be written, and then is cut off; longer than a disk is waited for. */
  readonly closeWaitMs: number
  readonly realtime: RealtimeLimits
}

export const GATEWAY_LIMITS: GatewayLimits = {
  bodyBytesMax: 32 * 1024 * 1024,
  arrivingBytesMax: 512 * 1024 * 1024,
  bodyMs: 120_000,
  lingerMs: 1000,
  triesMs: 600_000,
  usualWholeMs: 20_000,
  cooldown: COOLDOWN,
  tailMs: 3000,
  drainMs: 30_000,
  unseenDrainMs: 600_000,
  abandonedMax: 64,
  clientStallMs: 120_000,
  keptWaitingMs: 10_000,
  takenAtOnceMs: 1000,
  sendMs: 600_000,
  closeWaitMs: 12_000,
  realtime: REALTIME_LIMITS,
}
