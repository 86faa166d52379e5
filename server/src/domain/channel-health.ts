/*
 * Circuit breaker for one model on one channel. Transient failures put the pair in cooldown: after
 * several failures in a row, when most recent requests failed, or when the provider sends
 * Retry-After. After the cooldown one live request is the probe. Its answer closes the breaker; its
 * failure lengthens the cooldown.
 */

/** Consecutive failures that open the breaker. */
const FAILURES_IN_A_ROW = 3
const OUTCOMES_KEPT = 20
/** With fewer outcomes the success share is ignored. */
const OUTCOMES_LEAST = 10
const SUCCESS_SHARE_LEAST = 0.5

export type Cooldown = { readonly firstMs: number; readonly mostMs: number }

export const COOLDOWN: Cooldown = { firstMs: 1000, mostMs: 10_000 }

const DOUBLINGS_MAX = 20
const RETRY_AFTER_MS_MAX = 3_600_000
/** A probe without a first token after this time no longer holds back the next probe. */
const PROBE_MS = 10_000

const VALUES_KEPT = 64
const VALUES_LEAST = 5
/** New values after which the percentile is sorted again. */
const VALUES_NEW = 8
const USUAL_SHARE = 0.95

/** Shorter answers measure when a model begins to write, not how fast it writes. */
const RATE_TOKENS_LEAST = 100
const RATE_MS_LEAST = 1000

/** Streams are timed to their first token, whole answers to their end. */
export type AnswerKind = 'stream' | 'whole'

export type HealthState = 'ready' | 'cooling' | 'probing'

export type HealthView = {
  readonly state: HealthState
  /** Milliseconds until the channel may be used again; 0 if it may be used now. */
  readonly readyInMs: number
  /** The part of `readyInMs` that the provider's Retry-After accounts for. */
  readonly leftAloneMs: number
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
  readonly passed: (channel: ChannelVersion, upstreamModel: string, milliseconds: number) => void
}

export class ChannelHealth {
  readonly #cooldown: Cooldown
  readonly #outcomes: boolean[] = []
  readonly #latencies = { stream: new RecentValues(), whole: new RecentValues() }
  readonly #tokensPerSecond = new RecentValues()
  #inARow = 0
  /** How often the breaker has opened since a request last completed. */
  #openings = 0
  /** When the breaker opened; 0 while it is closed. */
  #openedAt = 0
  /** When the breaker opened most recently. */
  #lastOpenedAt = 0
  #readyAt = 0
  /** Retry-After deadline. */
  #leftAloneUntil = 0
  /** When the probe began; 0 if there is none. */
  #probeAt = 0

  constructor(cooldown: Cooldown = COOLDOWN) {
    this.#cooldown = cooldown
  }

  /**
   * Milliseconds until the channel may be used again; 0 if it may be used now. All times are
   * milliseconds of one clock.
   */
  readyInMs(now: number): number {
    return this.#openedAt === 0 ? 0 : Math.max(0, this.#readyAt - now)
  }

  /** Milliseconds until the Retry-After deadline. */
  leftAloneMs(now: number): number {
    return Math.max(0, this.#leftAloneUntil - now)
  }

  /** Call before a request is sent. */
  begin(now: number) {
    if (this.#openedAt === 0 || this.#readyAt > now) return
    this.#probeAt = now
    this.#readyAt = now + PROBE_MS
  }

  /** Records the time to the first token of a stream, or to the end of a whole answer. */
  spoke({ startedAt, kind, ms }: { startedAt: number; kind: AnswerKind; ms: number }) {
    this.#latencies[kind].add(ms)
    this.#comeBack(startedAt)
  }

  /** Records how many tokens an answer wrote in how many milliseconds. */
  wrote(tokens: number, ms: number) {
    if (tokens < RATE_TOKENS_LEAST || ms < RATE_MS_LEAST) return
    this.#tokensPerSecond.add((tokens / ms) * 1000)
  }

  /**
   * Records a request that completed, or that the provider rejected as invalid: both show that the
   * provider works.
   */
  succeeded(startedAt: number) {
    this.#note(true)
    this.#comeBack(startedAt)
    if (this.#openedAt !== 0) return
    this.#inARow = 0
    this.#openings = 0
  }

  failed({
    now,
    startedAt,
    retryAfterMs,
    isTold,
    random,
  }: {
    now: number
    startedAt: number
    /** Milliseconds to wait; null if unknown. */
    retryAfterMs: number | null
    /** True if the provider sent `retryAfterMs`, false if it is our estimate. */
    isTold: boolean
    random: () => number
  }) {
    const askedMs = Math.min(retryAfterMs ?? 0, RETRY_AFTER_MS_MAX)
    // A request that began before the breaker last opened says nothing new, even after the breaker
    // has closed.
    const isStale = startedAt < this.#lastOpenedAt
    if (!isStale) {
      this.#note(false)
      this.#inARow += 1
    }
    const isBreaking = !isStale && (this.#openedAt !== 0 || this.#isBad())
    const ownMs = isBreaking ? this.#cooldownMs(random) : 0
    const waitMs = Math.max(askedMs, ownMs)
    if (waitMs === 0) return
    if (isBreaking) this.#openings += 1
    if (startedAt === this.#probeAt) this.#readyAt = 0
    if (isTold) this.#leftAloneUntil = Math.max(this.#leftAloneUntil, now + askedMs)
    this.takeOut(now, waitMs)
  }

  /** Opens the breaker for this long, regardless of earlier outcomes. */
  takeOut(now: number, ms: number) {
    if (this.#openedAt === 0) {
      this.#openedAt = now
      this.#lastOpenedAt = now
    }
    this.#readyAt = Math.max(this.#readyAt, now + ms)
    this.#probeAt = 0
  }

  /**
   * Records a request without an outcome: its client disconnected, or another channel won the
   * hedge.
   */
  dropped(now: number, startedAt: number) {
    if (startedAt !== this.#probeAt) return
    this.#probeAt = 0
    this.#readyAt = now
  }

  /**
   * 95th percentile of the time to the first token, or to the whole answer; null with too few
   * values.
   */
  usualMs(kind: AnswerKind): number | null {
    return this.#latencies[kind].usual()
  }

  /** 95 of 100 long answers were written at no more than this rate; null with too few values. */
  usualTokensPerSecond(): number | null {
    return this.#tokensPerSecond.usual()
  }

  view(now: number): HealthView {
    const readyInMs = this.readyInMs(now)
    const succeeded = this.#outcomes.filter((outcome) => outcome).length
    return {
      state: this.#stateAt(readyInMs > 0),
      readyInMs,
      leftAloneMs: this.leftAloneMs(now),
      successShare: this.#outcomes.length === 0 ? null : succeeded / this.#outcomes.length,
      firstTokenMs: this.usualMs('stream'),
    }
  }

  #stateAt(isOut: boolean): HealthState {
    if (!isOut) return 'ready'
    return this.#probeAt === 0 ? 'cooling' : 'probing'
  }

  /** Only a request that began after the breaker opened can close it. */
  #comeBack(startedAt: number) {
    if (this.#openedAt === 0 || startedAt < this.#openedAt) return
    this.#openedAt = 0
    this.#readyAt = 0
    this.#leftAloneUntil = 0
    this.#probeAt = 0
    this.#outcomes.length = 0
    // A single failure may reopen the breaker. Only a completed answer resets the count.
    this.#inARow = Math.min(this.#inARow, FAILURES_IN_A_ROW - 1)
  }

  #note(outcome: boolean) {
    this.#outcomes.push(outcome)
    if (this.#outcomes.length > OUTCOMES_KEPT) this.#outcomes.shift()
  }

  /**
   * Doubles up to its limit. Half of the cooldown is random, so that nodes do not return at the
   * same moment.
   */
  #cooldownMs(random: () => number): number {
    const { firstMs, mostMs } = this.#cooldown
    const most = Math.min(mostMs, firstMs * 2 ** Math.min(this.#openings, DOUBLINGS_MAX))
    return most * (0.5 + random() / 2)
  }

  #isBad(): boolean {
    if (this.#inARow >= FAILURES_IN_A_ROW) return true
    const succeeded = this.#outcomes.filter((outcome) => outcome).length
    const { length } = this.#outcomes
    return length >= OUTCOMES_LEAST && succeeded < length * SUCCESS_SHARE_LEAST
  }
}

export const versionOf = ({ key_sealed, base_url, status_time }: Omit<ChannelVersion, 'id'>) =>
  `${status_time} ${base_url} ${key_sealed}`

/** A ring buffer of recent values, with their 95th percentile. */
class RecentValues {
  readonly #values: number[] = []
  #next = 0
  #usual: number | null = null
  #newCount = 0

  add(value: number) {
    this.#values[this.#next] = value
    this.#next = (this.#next + 1) % VALUES_KEPT
    this.#newCount += 1
  }

  usual(): number | null {
    if (this.#values.length < VALUES_LEAST) return null
    if (this.#usual === null || this.#newCount >= VALUES_NEW) {
      const sorted = this.#values.toSorted((a, b) => a - b)
      this.#usual = sorted[Math.ceil(sorted.length * USUAL_SHARE) - 1] ?? null
      this.#newCount = 0
    }
    return this.#usual
  }
}
