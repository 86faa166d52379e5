/*
 * Circuit breaker for one model on one channel. Transient failures put the pair in cooldown: after
 * several failures in a row, when most recent requests failed, or when the provider sends
 * Retry-After. After the cooldown one live request is the probe. Its answer closes the breaker; its
 * failure lengthens the cooldown.
 */

/** Consecutive failures that open the breaker. */
const CONSECUTIVE_FAILURES_MAX = 3
const OUTCOMES_KEPT = 20
/** With fewer outcomes the success share is ignored. */
const OUTCOMES_MIN = 10
const SUCCESS_SHARE_MIN = 0.5

export type Cooldown = { readonly firstMs: number; readonly maxMs: number }

export const COOLDOWN: Cooldown = { firstMs: 1000, maxMs: 10_000 }

const DOUBLINGS_MAX = 20
const RETRY_AFTER_MS_MAX = 3_600_000
/** A probe without a first token after this time no longer holds back the next probe. */
const PROBE_MS = 10_000

const VALUES_KEPT = 64
const VALUES_MIN = 5
/** New values after which the percentile is sorted again. */
const REFRESH_AFTER_VALUES = 8
const PERCENTILE = 0.95

/** Shorter answers measure when a model begins to write, not how fast it writes. */
const RATE_TOKENS_MIN = 100
const RATE_MS_MIN = 1000

/** Streams are timed to their first token, whole answers to their end. */
export type AnswerKind = 'stream' | 'whole'

export type HealthState = 'ready' | 'cooling' | 'probing'

export type HealthView = {
  readonly state: HealthState
  /** Milliseconds until the channel may be used again; 0 if it may be used now. */
  readonly cooldownMs: number
  /** The part of `cooldownMs` that the provider's Retry-After accounts for. */
  readonly retryAfterMs: number
  /** Share of recent requests that succeeded, from 0 to 1; null before the first. */
  readonly successShare: number | null
  /** 95th percentile of the time to the first token; null with too few values. */
  readonly firstTokenMs: number | null
}

/** When one of these fields changes, earlier observations of the channel no longer count. */
export type ChannelVersion = {
  readonly id: number
  readonly key_sealed: string
  readonly base_url: string
  readonly status_time: number
}

/** Health per channel and upstream model, for code outside the gateway. */
export type SharedHealth = {
  readonly view: (channel: ChannelVersion, upstreamModel: string) => HealthView
  /** Reports a passed test that took `milliseconds`; it counts as a successful request. */
  readonly recordSuccess: (
    channel: ChannelVersion,
    upstreamModel: string,
    milliseconds: number,
  ) => void
}

/** Live sessions of a model by channel, for code outside the gateway. */
export type SharedSessions = (model: string) => ReadonlyMap<number, number>

export class ChannelHealth {
  readonly #cooldown: Cooldown
  readonly #outcomes: boolean[] = []
  readonly #latencies = { stream: new RecentValues(), whole: new RecentValues() }
  readonly #tokensPerSecond = new RecentValues()
  #consecutiveFailures = 0
  /** How often the breaker has opened since a request last completed. */
  #consecutiveCooldowns = 0
  /** When the breaker opened; 0 while it is closed. */
  #cooldownSince = 0
  /** When the breaker opened most recently. */
  #lastCooldownAt = 0
  #cooldownUntil = 0
  /** Retry-After deadline. */
  #retryAfterUntil = 0
  /** When the probe began; 0 if there is none. */
  #probeStartedAt = 0

  constructor(cooldown: Cooldown = COOLDOWN) {
    this.#cooldown = cooldown
  }

  /**
   * Milliseconds until the channel may be used again; 0 if it may be used now. All times are
   * milliseconds of one clock.
   */
  cooldownMs(now: number): number {
    return this.#cooldownSince === 0 ? 0 : Math.max(0, this.#cooldownUntil - now)
  }

  /** Milliseconds until the Retry-After deadline. */
  retryAfterMs(now: number): number {
    return Math.max(0, this.#retryAfterUntil - now)
  }

  /** Call before a request is sent. */
  begin(now: number) {
    if (this.#cooldownSince === 0 || this.#cooldownUntil > now) return
    this.#probeStartedAt = now
    this.#cooldownUntil = now + PROBE_MS
  }

  /** Records the time to the first token of a stream, or to the end of a whole answer. */
  answerStarted({ startedAt, kind, ms }: { startedAt: number; kind: AnswerKind; ms: number }) {
    this.#latencies[kind].add(ms)
    this.#endCooldown(startedAt)
  }

  /** Records how many tokens an answer wrote in how many milliseconds. */
  outputReceived(tokens: number, ms: number) {
    if (tokens < RATE_TOKENS_MIN || ms < RATE_MS_MIN) return
    this.#tokensPerSecond.add((tokens / ms) * 1000)
  }

  /**
   * Records a request that completed, or that the provider rejected as invalid: both show that the
   * provider works.
   */
  succeeded(startedAt: number) {
    this.#recordOutcome(true)
    this.#endCooldown(startedAt)
    if (this.#cooldownSince !== 0) return
    this.#consecutiveFailures = 0
    this.#consecutiveCooldowns = 0
  }

  failed({
    now,
    startedAt,
    retryAfterMs,
    isFromProvider,
    random,
  }: {
    now: number
    startedAt: number
    /** Milliseconds to wait; null if unknown. */
    retryAfterMs: number | null
    /** True if the provider sent `retryAfterMs`, false if it is our estimate. */
    isFromProvider: boolean
    random: () => number
  }) {
    const retryMs = Math.min(retryAfterMs ?? 0, RETRY_AFTER_MS_MAX)
    // A request that began before the breaker last opened says nothing new, even after the breaker
    // has closed.
    const isStale = startedAt < this.#lastCooldownAt
    if (!isStale) {
      this.#recordOutcome(false)
      this.#consecutiveFailures += 1
    }
    const isBreaking = !isStale && (this.#cooldownSince !== 0 || this.#isUnhealthy())
    const backoffMs = isBreaking ? this.#nextCooldownMs(random) : 0
    const waitMs = Math.max(retryMs, backoffMs)
    if (waitMs === 0) return
    if (isBreaking) this.#consecutiveCooldowns += 1
    if (startedAt === this.#probeStartedAt) this.#cooldownUntil = 0
    if (isFromProvider) this.#retryAfterUntil = Math.max(this.#retryAfterUntil, now + retryMs)
    this.startCooldown(now, waitMs)
  }

  /** Opens the breaker for this long, regardless of earlier outcomes. */
  startCooldown(now: number, ms: number) {
    if (this.#cooldownSince === 0) {
      this.#cooldownSince = now
      this.#lastCooldownAt = now
    }
    this.#cooldownUntil = Math.max(this.#cooldownUntil, now + ms)
    this.#probeStartedAt = 0
  }

  /**
   * Records a request without an outcome: its client disconnected, or another channel won the
   * hedge.
   */
  dropped(now: number, startedAt: number) {
    if (startedAt !== this.#probeStartedAt) return
    this.#probeStartedAt = 0
    this.#cooldownUntil = now
  }

  /**
   * 95th percentile of the time to the first token, or to the whole answer; null with too few
   * values.
   */
  p95Ms(kind: AnswerKind): number | null {
    return this.#latencies[kind].p95()
  }

  /** 95 of 100 long answers were written at no more than this rate; null with too few values. */
  p95TokensPerSecond(): number | null {
    return this.#tokensPerSecond.p95()
  }

  view(now: number): HealthView {
    const cooldownMs = this.cooldownMs(now)
    const succeeded = this.#outcomes.filter((outcome) => outcome).length
    return {
      state: this.#stateAt(cooldownMs > 0),
      cooldownMs,
      retryAfterMs: this.retryAfterMs(now),
      successShare: this.#outcomes.length === 0 ? null : succeeded / this.#outcomes.length,
      firstTokenMs: this.p95Ms('stream'),
    }
  }

  #stateAt(isCoolingDown: boolean): HealthState {
    if (!isCoolingDown) return 'ready'
    return this.#probeStartedAt === 0 ? 'cooling' : 'probing'
  }

  /** Only a request that began after the breaker opened can close it. */
  #endCooldown(startedAt: number) {
    if (this.#cooldownSince === 0 || startedAt < this.#cooldownSince) return
    this.#cooldownSince = 0
    this.#cooldownUntil = 0
    this.#retryAfterUntil = 0
    this.#probeStartedAt = 0
    this.#outcomes.length = 0
    // A single failure may reopen the breaker. Only a completed answer resets the count.
    this.#consecutiveFailures = Math.min(this.#consecutiveFailures, CONSECUTIVE_FAILURES_MAX - 1)
  }

  #recordOutcome(outcome: boolean) {
    this.#outcomes.push(outcome)
    if (this.#outcomes.length > OUTCOMES_KEPT) this.#outcomes.shift()
  }

  /**
   * Doubles up to its limit. Half of the cooldown is random, so that nodes do not return at the
   * same moment.
   */
  #nextCooldownMs(random: () => number): number {
    const { firstMs, maxMs } = this.#cooldown
    const upperMs = Math.min(
      maxMs,
      firstMs * 2 ** Math.min(this.#consecutiveCooldowns, DOUBLINGS_MAX),
    )
    return upperMs * (0.5 + random() / 2)
  }

  #isUnhealthy(): boolean {
    if (this.#consecutiveFailures >= CONSECUTIVE_FAILURES_MAX) return true
    const succeeded = this.#outcomes.filter((outcome) => outcome).length
    const { length } = this.#outcomes
    return length >= OUTCOMES_MIN && succeeded < length * SUCCESS_SHARE_MIN
  }
}

export const versionOf = ({ key_sealed, base_url, status_time }: Omit<ChannelVersion, 'id'>) =>
  `${status_time} ${base_url} ${key_sealed}`

/** A ring buffer of recent values, with their 95th percentile. */
class RecentValues {
  readonly #values: number[] = []
  #next = 0
  #p95: number | null = null
  #newCount = 0

  add(value: number) {
    this.#values[this.#next] = value
    this.#next = (this.#next + 1) % VALUES_KEPT
    this.#newCount += 1
  }

  p95(): number | null {
    if (this.#values.length < VALUES_MIN) return null
    if (this.#p95 === null || this.#newCount >= REFRESH_AFTER_VALUES) {
      const sorted = this.#values.toSorted((a, b) => a - b)
      this.#p95 = sorted[Math.ceil(sorted.length * PERCENTILE) - 1] ?? null
      this.#newCount = 0
    }
    return this.#p95
  }
}
