/*
 * How one channel does with one model. Failures that pass take it out of the turn for a while: when
 * several come in a row, when most of the last requests failed, or when the provider asks for it. After
 * that one live request goes first; its answer brings the channel back, its failure lengthens the wait.
 */

/** So many in a row open the breaker. */
const FAILURES_IN_A_ROW = 3
const OUTCOMES_KEPT = 20
/** With fewer than this nothing is said about a share. */
const OUTCOMES_LEAST = 10
const SUCCESS_SHARE_LEAST = 0.5

export type Cooldown = { readonly firstMs: number; readonly mostMs: number }

export const COOLDOWN: Cooldown = { firstMs: 1000, mostMs: 10_000 }

const DOUBLINGS_MAX = 20
const RETRY_AFTER_MS_MAX = 3_600_000
/** A first request that says nothing for this long does not keep the next one back. */
const PROBE_MS = 10_000

const VALUES_KEPT = 64
const VALUES_LEAST = 5
/** The sort behind a percentile is worth doing again after so many new values. */
const VALUES_NEW = 8
const USUAL_SHARE = 0.95

/** Shorter answers tell when a model begins to write, and not how fast it does. */
const RATE_TOKENS_LEAST = 100
const RATE_MS_LEAST = 1000

/** Streams say something early; an answer in one piece says all of it late. */
export type AnswerKind = 'stream' | 'whole'

export type HealthState = 'ready' | 'cooling' | 'probing'

export type HealthView = {
  readonly state: HealthState
  /** How long until it is its turn again; 0 when it is. */
  readonly readyInMs: number
  /** What of that its provider asked for. */
  readonly leftAloneMs: number
  /** How many of the last requests succeeded, from 0 to 1; null before the first. */
  readonly successShare: number | null
  /** 95 of 100 first tokens came within this; null while too few have come. */
  readonly firstTokenMs: number | null
}

/** What makes a channel another one: what was learned of it before says nothing any more. */
export type ChannelVersion = {
  readonly id: number
  readonly key_sealed: string
  readonly base_url: string
  readonly status_time: number
}

/** What others may know of a channel and the name it gives to a model, and what they may tell. */
export type SharedHealth = {
  readonly view: (channel: ChannelVersion, upstreamModel: string) => HealthView
  /** A test of it has passed that began so long ago: as good as a request that went through. */
  readonly passed: (channel: ChannelVersion, upstreamModel: string, milliseconds: number) => void
}

export class ChannelHealth {
  readonly #cooldown: Cooldown
  readonly #outcomes: boolean[] = []
  readonly #latencies = { stream: new RecentValues(), whole: new RecentValues() }
  readonly #tokensPerSecond = new RecentValues()
  #inARow = 0
  /** How often it was taken out since a request last went through in whole. */
  #openings = 0
  /** When it was taken out; 0 while it is in turn. */
  #openedAt = 0
  /** When it was taken out last. */
  #lastOpenedAt = 0
  #readyAt = 0
  /** Until when its provider asked not to be asked. */
  #leftAloneUntil = 0
  /** When the request began that goes first; 0 when none does. */
  #probeAt = 0

  constructor(cooldown: Cooldown = COOLDOWN) {
    this.#cooldown = cooldown
  }

  /** How long until it is its turn again; 0 when it is. All times are milliseconds of one clock. */
  readyInMs(now: number): number {
    return this.#openedAt === 0 ? 0 : Math.max(0, this.#readyAt - now)
  }

  /** How much longer its provider asked not to be asked. */
  leftAloneMs(now: number): number {
    return Math.max(0, this.#leftAloneUntil - now)
  }

  /** A request is about to be sent. */
  begin(now: number) {
    if (this.#openedAt === 0 || this.#readyAt > now) return
    this.#probeAt = now
    this.#readyAt = now + PROBE_MS
  }

  /** The first token of a stream, or a whole answer, came after so long. */
  spoke({ startedAt, kind, ms }: { startedAt: number; kind: AnswerKind; ms: number }) {
    this.#latencies[kind].add(ms)
    this.#comeBack(startedAt)
  }

  /** An answer of so many tokens was written in so many milliseconds. */
  wrote(tokens: number, ms: number) {
    if (tokens < RATE_TOKENS_LEAST || ms < RATE_MS_LEAST) return
    this.#tokensPerSecond.add((tokens / ms) * 1000)
  }

  /** A request went through in whole, or was refused for what it asks: the provider is at work. */
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
    /** For how long it is to be left alone; null when nobody knows. */
    retryAfterMs: number | null
    /** The provider said so, and it is no guess of ours. */
    isTold: boolean
    random: () => number
  }) {
    const askedMs = Math.min(retryAfterMs ?? 0, RETRY_AFTER_MS_MAX)
    // What was under way when the channel was taken out tells nothing new, also not once it is back.
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

  /** Not its turn for so long, whatever it did before. */
  takeOut(now: number, ms: number) {
    if (this.#openedAt === 0) {
      this.#openedAt = now
      this.#lastOpenedAt = now
    }
    this.#readyAt = Math.max(this.#readyAt, now + ms)
    this.#probeAt = 0
  }

  /** A request ended without telling anything: its client left, or another channel was quicker. */
  dropped(now: number, startedAt: number) {
    if (startedAt !== this.#probeAt) return
    this.#probeAt = 0
    this.#readyAt = now
  }

  /** 95 of 100 answers began within this; null while too few have come. */
  usualMs(kind: AnswerKind): number | null {
    return this.#latencies[kind].usual()
  }

  /** 95 of 100 long answers were written no faster; null while too few have come. */
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

  /** Only a request that began after the channel was taken out shows that it is back. */
  #comeBack(startedAt: number) {
    if (this.#openedAt === 0 || startedAt < this.#openedAt) return
    this.#openedAt = 0
    this.#readyAt = 0
    this.#leftAloneUntil = 0
    this.#probeAt = 0
    this.#outcomes.length = 0
    // One more failure may take it out again; only an answer that went through in whole clears it.
    this.#inARow = Math.min(this.#inARow, FAILURES_IN_A_ROW - 1)
  }

  #note(outcome: boolean) {
    this.#outcomes.push(outcome)
    if (this.#outcomes.length > OUTCOMES_KEPT) this.#outcomes.shift()
  }

  /** Doubles up to its limit; the half that is thrown for keeps callers from coming back at once. */
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

/** The last so many values, and which of them is usual. */
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
