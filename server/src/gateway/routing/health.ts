import { LRUCache } from 'lru-cache'
import { isAboutRequest, type UpstreamProblem } from '@tollgate/relay'
import {
  type AnswerKind,
  ChannelHealth,
  type ChannelVersion,
  type SharedHealth,
  versionOf,
} from '../../domain/channel-health.ts'
import type { GatewayLimits } from '../limits.ts'
import type { LiveChannel } from './channel-registry.ts'

/** More channel and model pairs than any deployment runs; the least recently used are evicted. */
const ENTRIES_MAX = 10_000
/** A model the provider does not know will not appear within seconds. */
const MODEL_MISSING_MS = 300_000
const USUAL_FACTOR = 3

/** `upstreamModel` is the channel's name for the model. */
export type Place = { readonly channel: LiveChannel; readonly upstreamModel: string }

/**
 * Health tracking of one request at one channel. Ends with one of `succeeded`, `failed` and
 * `dropped`.
 */
export type HealthProbe = {
  /** Restarts the clock when the request is sent some time after `begin`. */
  readonly sent: () => void
  /** The first token, or the whole answer, has arrived. */
  readonly firstTokenReceived: () => void
  /** Output tokens received since the request was sent. */
  readonly wrote: (tokens: number) => void
  readonly succeeded: () => void
  /**
   * `leaveAloneMs` overrides the provider's Retry-After, because the channel may have other keys.
   */
  readonly failed: (problem: UpstreamProblem, leaveAloneMs?: number | null) => void
  /** The request was abandoned and says nothing about the channel. */
  readonly dropped: () => void
}

export type HealthBook = SharedHealth & {
  readonly readyInMs: (place: Place) => number
  /** The part of `readyInMs` that is due to the provider's Retry-After. */
  readonly leftAloneMs: (place: Place) => number
  readonly begin: (place: Place, kind: AnswerKind) => HealthProbe
  /**
   * How long to wait for the first token before hedging to the next channel; at least `leastMs`.
   */
  readonly patienceMs: (place: Place, kind: AnswerKind, leastMs: number) => number
  /** 95th percentile of the time to the answer's start; null until enough values exist. */
  readonly usualMs: (place: Place, kind: AnswerKind) => number | null
  /** Output speed that 95 % of long answers did not exceed; null until enough values exist. */
  readonly usualTokensPerSecond: (place: Place) => number | null
}

type Entry = Pick<LiveChannel, 'version' | 'firstRead'> & { readonly health: ChannelHealth }

export function createHealthBook({
  now,
  random,
  limits,
}: {
  now: () => number
  random: () => number
  limits: Pick<GatewayLimits, 'usualWholeMs' | 'cooldown'>
}): HealthBook {
  const entries = new LRUCache<string, Entry>({ max: ENTRIES_MAX })

  /** A changed or re-enabled channel starts with fresh health. */
  const of = ({ channel, upstreamModel }: Place): ChannelHealth => {
    const key = keyOf(channel.id, upstreamModel)
    const known = entries.get(key)
    const { version, firstRead } = channel
    if (known?.version === version) return known.health
    const health = new ChannelHealth(limits.cooldown)
    // A request from before the change still carries the old channel version.
    const isOlder = known !== undefined && firstRead < known.firstRead
    if (!isOlder) entries.set(key, { version, firstRead, health })
    return health
  }

  const known = (channel: ChannelVersion, upstreamModel: string): ChannelHealth | undefined => {
    const entry = entries.peek(keyOf(channel.id, upstreamModel))
    return entry?.version === versionOf(channel) ? entry.health : undefined
  }

  return {
    readyInMs: (place) => of(place).readyInMs(now()),
    leftAloneMs: (place) => of(place).leftAloneMs(now()),
    begin: (place, kind) => beginTrial(of(place), kind, { now, random }),
    patienceMs: (place, kind, leastMs) => {
      const guessedMs = kind === 'whole' ? limits.usualWholeMs : 0
      return Math.max(leastMs, USUAL_FACTOR * (of(place).usualMs(kind) ?? guessedMs))
    },
    usualMs: (place, kind) => of(place).usualMs(kind),
    usualTokensPerSecond: (place) => of(place).usualTokensPerSecond(),
    view: (channel, upstreamModel) =>
      (known(channel, upstreamModel) ?? new ChannelHealth()).view(now()),
    passed: (channel, upstreamModel, milliseconds) =>
      known(channel, upstreamModel)?.succeeded(now() - milliseconds),
  }
}

const keyOf = (channel: number, upstreamModel: string) => `${channel} ${upstreamModel}`

function beginTrial(
  health: ChannelHealth,
  kind: AnswerKind,
  { now, random }: { now: () => number; random: () => number },
): HealthProbe {
  let startedAt = now()
  let isDropped = false
  health.begin(startedAt)
  return {
    sent: () => {
      if (isDropped) return
      health.dropped(now(), startedAt)
      startedAt = now()
      health.begin(startedAt)
    },
    firstTokenReceived: () => health.spoke({ startedAt, kind, ms: now() - startedAt }),
    wrote: (tokens) => health.wrote(tokens, now() - startedAt),
    succeeded: () => health.succeeded(startedAt),
    failed: (problem, retryAfterMs = problem.retryAfterMs) => {
      // The channel may lack the model too, so the failure says nothing about its health.
      if (problem.kind === 'not_offered') return health.dropped(now(), startedAt)
      if (isAboutRequest(problem)) return health.succeeded(startedAt)
      const isTold = problem.retryAfterMs !== null
      health.failed({ now: now(), startedAt, retryAfterMs, isTold, random })
      if (problem.namesModel) health.takeOut(now(), MODEL_MISSING_MS)
    },
    dropped: () => {
      isDropped = true
      health.dropped(now(), startedAt)
    },
  }
}
