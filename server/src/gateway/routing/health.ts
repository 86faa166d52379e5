import { isAboutRequest, type UpstreamProblem } from '@tollgate/relay'
import {
  type AnswerKind,
  ChannelHealth,
  type ChannelVersion,
  type SharedHealth,
  versionOf,
} from '../../domain/channel-health.ts'
import { createLru } from '../../lru.ts'
import type { GatewayLimits } from '../limits.ts'
import type { LiveChannel } from './channel-registry.ts'

/** More channel and model pairs than any deployment runs; the least recently used are evicted. */
const ENTRIES_MAX = 10_000
/** A model the provider does not know will not appear within seconds. */
const MODEL_MISSING_MS = 300_000
const HEDGE_DELAY_FACTOR = 3

/** `upstreamModel` is the channel's name for the model. */
export type ChannelModel = { readonly channel: LiveChannel; readonly upstreamModel: string }

/**
 * Health tracking of one request at one channel. Ends with one of `succeeded`, `failed` and
 * `dropped`.
 */
export type HealthObservation = {
  /** Restarts the clock when the request is sent some time after `begin`. */
  readonly sent: () => void
  /** The first token, or the whole answer, has arrived. */
  readonly answerStarted: () => void
  /** Output tokens received since the request was sent. */
  readonly addOutputTokens: (tokens: number) => void
  readonly succeeded: () => void
  /**
   * `retryAfterMs` overrides the provider's Retry-After, because the channel may have other keys.
   */
  readonly failed: (problem: UpstreamProblem, retryAfterMs?: number | null) => void
  /** The request was abandoned and says nothing about the channel. */
  readonly dropped: () => void
}

export type HealthTracker = SharedHealth & {
  readonly cooldownMs: (channelModel: ChannelModel) => number
  /** The part of `cooldownMs` that is due to the provider's Retry-After. */
  readonly retryAfterMs: (channelModel: ChannelModel) => number
  readonly begin: (channelModel: ChannelModel, kind: AnswerKind) => HealthObservation
  /**
   * How long to wait for the first token before hedging to the next channel; at least `minMs`.
   */
  readonly hedgeDelayMs: (channelModel: ChannelModel, kind: AnswerKind, minMs: number) => number
  /** 95th percentile of the time to the answer's start; null until enough values exist. */
  readonly latencyP95Ms: (channelModel: ChannelModel, kind: AnswerKind) => number | null
  /** Output speed that 95 % of long answers did not exceed; null until enough values exist. */
  readonly tokensPerSecondP95: (channelModel: ChannelModel) => number | null
}

type Entry = Pick<LiveChannel, 'version' | 'firstRead'> & { readonly health: ChannelHealth }

export function createHealthTracker({
  now,
  random,
  limits,
}: {
  now: () => number
  random: () => number
  limits: Pick<GatewayLimits, 'typicalAnswerMs' | 'cooldown'>
}): HealthTracker {
  const entries = createLru<string, Entry>(ENTRIES_MAX)

  /** A changed or re-enabled channel starts with fresh health. */
  const healthOf = ({ channel, upstreamModel }: ChannelModel): ChannelHealth => {
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
    cooldownMs: (channelModel) => healthOf(channelModel).cooldownMs(now()),
    retryAfterMs: (channelModel) => healthOf(channelModel).retryAfterMs(now()),
    begin: (channelModel, kind) => new Probe(healthOf(channelModel), kind, { now, random }),
    hedgeDelayMs: (channelModel, kind, minMs) => {
      const defaultMs = kind === 'whole' ? limits.typicalAnswerMs : 0
      return Math.max(minMs, HEDGE_DELAY_FACTOR * (healthOf(channelModel).p95Ms(kind) ?? defaultMs))
    },
    latencyP95Ms: (channelModel, kind) => healthOf(channelModel).p95Ms(kind),
    tokensPerSecondP95: (channelModel) => healthOf(channelModel).p95TokensPerSecond(),
    view: (channel, upstreamModel) =>
      (known(channel, upstreamModel) ?? new ChannelHealth()).view(now()),
    recordSuccess: (channel, upstreamModel, milliseconds) =>
      known(channel, upstreamModel)?.succeeded(now() - milliseconds),
  }
}

const keyOf = (channel: number, upstreamModel: string) => `${channel} ${upstreamModel}`

type ProbeDeps = { readonly now: () => number; readonly random: () => number }

class Probe implements HealthObservation {
  readonly #health: ChannelHealth
  readonly #kind: AnswerKind
  readonly #deps: ProbeDeps
  #startedAt: number
  #isDropped = false

  constructor(health: ChannelHealth, kind: AnswerKind, deps: ProbeDeps) {
    this.#health = health
    this.#kind = kind
    this.#deps = deps
    this.#startedAt = deps.now()
    health.begin(this.#startedAt)
  }

  get #elapsedMs(): number {
    return this.#deps.now() - this.#startedAt
  }

  sent() {
    if (this.#isDropped) return
    const now = this.#deps.now()
    this.#health.dropped(now, this.#startedAt)
    this.#startedAt = now
    this.#health.begin(now)
  }

  answerStarted() {
    const [startedAt, kind] = [this.#startedAt, this.#kind]
    this.#health.answerStarted({ startedAt, kind, ms: this.#elapsedMs })
  }

  addOutputTokens(tokens: number) {
    this.#health.outputReceived(tokens, this.#elapsedMs)
  }

  succeeded() {
    this.#health.succeeded(this.#startedAt)
  }

  failed(problem: UpstreamProblem, retryAfterMs = problem.retryAfterMs) {
    // The channel may lack the model too, so the failure says nothing about its health.
    if (problem.kind === 'not_offered') return this.#drop()
    if (isAboutRequest(problem)) return this.succeeded()
    const [health, startedAt] = [this.#health, this.#startedAt]
    const { now, random } = this.#deps
    const isFromProvider = problem.retryAfterMs !== null
    health.failed({ now: now(), startedAt, retryAfterMs, isFromProvider, random })
    if (problem.namesModel) health.startCooldown(now(), MODEL_MISSING_MS)
  }

  dropped() {
    if (this.#isDropped) return
    this.#isDropped = true
    this.#drop()
  }

  #drop() {
    this.#health.dropped(this.#deps.now(), this.#startedAt)
  }
}
