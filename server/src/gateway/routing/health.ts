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

/** More channels times models than anybody runs; those asked longest ago are forgotten. */
const ENTRIES_MAX = 10_000
/** A provider that does not know a model will not know it in a moment. */
const MODEL_MISSING_MS = 300_000
const USUAL_FACTOR = 3

/** A channel, and what it calls a model. */
export type Place = { readonly channel: LiveChannel; readonly upstreamModel: string }

/** One request at one channel, for its health; ends in one of `succeeded`, `failed` and `dropped`. */
export type HealthProbe = {
  /** It was made ready for some time, and is only sent now. */
  readonly sent: () => void
  /** The first token, or the whole answer, has come. */
  readonly firstTokenReceived: () => void
  /** So many tokens of output came from when it was sent until now. */
  readonly wrote: (tokens: number) => void
  readonly succeeded: () => void
  /** `leaveAloneMs` where that is not what the provider asked for: a channel may have other keys. */
  readonly failed: (problem: UpstreamProblem, leaveAloneMs?: number | null) => void
  /** Nobody waits for it any more; it tells nothing. */
  readonly dropped: () => void
}

export type HealthBook = SharedHealth & {
  readonly readyInMs: (place: Place) => number
  /** What of that its provider asked for. */
  readonly leftAloneMs: (place: Place) => number
  readonly begin: (place: Place, kind: AnswerKind) => HealthProbe
  /** How long a first word may take before the next channel is asked too; `leastMs` at least. */
  readonly patienceMs: (place: Place, kind: AnswerKind, leastMs: number) => number
  /** 95 of 100 answers began within this; null while too few have come. */
  readonly usualMs: (place: Place, kind: AnswerKind) => number | null
  /** 95 of 100 long answers were written no faster; null while too few have come. */
  readonly usualTokensPerSecond: (place: Place) => number | null
}

type Entry = Pick<LiveChannel, 'version' | 'firstRead'> & { readonly health: ChannelHealth }

/** The health of every channel with every model it was asked for, in the memory of this process. */
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

  /** What was known of a channel before it was changed or came back says nothing any more. */
  const of = ({ channel, upstreamModel }: Place): ChannelHealth => {
    const key = keyOf(channel.id, upstreamModel)
    const known = entries.get(key)
    const { version, firstRead } = channel
    if (known?.version === version) return known.health
    const health = new ChannelHealth(limits.cooldown)
    // A request that began before the change still has the channel as it was.
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
      // It may not have the model either.
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
