/*
 * How many output tokens requests of one kind use. Counts lie in buckets on a logarithmic scale,
 * and old counts fade, so the memory is fixed and a change of use shows within hours.
 */

const TOKENS_MIN = 64
/** Two buckets for each doubling, from `TOKENS_MIN` to 2^20 tokens. */
const BUCKETS_PER_DOUBLING = 2
const BUCKETS = 1 + BUCKETS_PER_DOUBLING * 14
/** After this time a count weighs half. */
const HALF_LIFE_MS = 6 * 3_600_000
/** Counts are faded in steps, because the steps of a busy key would round to nothing. */
const FADE_STEP_MS = 60_000
/** With fewer answers the quantile says nothing. */
const WEIGHT_MIN = 8
const QUANTILE = 0.98

/** Times are milliseconds of one monotonic clock. */
export class TypicalOutput {
  readonly #weights = new Float64Array(BUCKETS)
  #total = 0
  #fadedAt: number

  constructor(now: number) {
    this.#fadedAt = now
  }

  add(tokens: number, now: number) {
    this.#fade(now)
    const bucket = bucketOf(tokens)
    this.#weights[bucket] = (this.#weights[bucket] ?? 0) + 1
    this.#total += 1
  }

  /**
   * A number of tokens that 98 of 100 recent answers did not exceed, at most 42 % above the exact
   * quantile. Null with too few answers.
   */
  quantile(now: number): number | null {
    this.#fade(now)
    if (this.#total < WEIGHT_MIN) return null
    let left = this.#total * QUANTILE
    const bucket = this.#weights.findIndex((weight) => (left -= weight) <= 0)
    return upperBoundOf(bucket === -1 ? BUCKETS - 1 : bucket)
  }

  #fade(now: number) {
    const elapsedMs = now - this.#fadedAt
    if (elapsedMs < FADE_STEP_MS) return
    this.#fadedAt = now
    const share = 2 ** (-elapsedMs / HALF_LIFE_MS)
    for (const [bucket, weight] of this.#weights.entries()) this.#weights[bucket] = weight * share
    this.#total *= share
  }
}

function bucketOf(tokens: number): number {
  if (tokens <= TOKENS_MIN) return 0
  const bucket = Math.ceil(BUCKETS_PER_DOUBLING * Math.log2(tokens / TOKENS_MIN))
  return Math.min(bucket, BUCKETS - 1)
}

const upperBoundOf = (bucket: number): number =>
  Math.ceil(TOKENS_MIN * 2 ** (bucket / BUCKETS_PER_DOUBLING))
