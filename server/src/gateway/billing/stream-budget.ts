import type { Quota } from '@tollgate/contract'
import { countPrompt } from '@tollgate/relay'
import { affordableOutputTokens, type Price, worstCase } from '../../domain/price.ts'
import type { Hold } from '../../ledger/ledger.ts'
import type { RelayContext } from '../context.ts'
import { countOptionsFor } from './counting.ts'
import type { HiddenOutput } from './hidden-output.ts'
import { raiseIfPossible } from './raise-hold.ts'
import type { PricedTarget } from './terms.ts'

/** Null if the whole output was held before the request started. */
export function createStreamBudget(
  {
    parsedRequest,
    terms,
    authorization,
    user,
  }: Pick<RelayContext, 'parsedRequest' | 'terms' | 'authorization' | 'user'>,
  firstTarget: PricedTarget,
  { hidden, countOutput }: Pick<StreamBudgetOptions, 'hidden' | 'countOutput'>,
): StreamBudget | null {
  const { hold, headroomTokens, promptTokens } = authorization
  const { groupRatio, options } = terms
  if (headroomTokens === null) return null
  const counted = countOptionsFor(options, user)
  return new StreamBudget({
    hold,
    price: firstTarget.price,
    groupRatio,
    headroomTokens,
    promptTokensUpperBound: promptTokens,
    countPrompt: async () =>
      firstTarget.channel.overrides.promptTokensMax +
      (await countPrompt(parsedRequest, { ...counted, model: firstTarget.upstreamModel })),
    countOutput,
    hidden,
  })
}

type StreamBudgetOptions = {
  hold: Pick<Hold, 'amount' | 'raise'>
  /** The price of the first channel. */
  price: Price
  groupRatio: number
  /** Upper bound of the tokens held ahead of the delivered output. */
  headroomTokens: number
  /** The prompt is counted only when the balance runs short. */
  promptTokensUpperBound: number
  countPrompt: () => Promise<number>
  countOutput: () => Promise<number>
  /** What the provider may have written without showing it. Null if the client sees all output. */
  hidden: HiddenOutput | null
}

const perToken = ({ model_ratio, completion_ratio }: Price) => model_ratio * completion_ratio

/** With fewer tokens left, a stream is cut off rather than counted again. */
const TOKENS_MIN = 16
/** A raise that the database delays is not asked for again and again. */
const GROWS_MS_MIN = 50

/**
 * Keeps the hold of a stream ahead of its output. Each byte counts as one token until the balance
 * no longer covers that. Then tokens are counted, so that a stream uses the whole balance. Hidden
 * reasoning counts by the time it may have taken.
 */
export class StreamBudget {
  readonly #options: StreamBudgetOptions
  /** The highest price of the channels so far. */
  #price: Price
  #promptTokens: number
  #isPromptCounted = false
  /** Counted tokens, and the bytes they are in. */
  #counted = { tokens: 0, bytes: 0 }
  /** Output tokens the current hold pays for. */
  #covered = 0
  /** The balance did not cover the headroom. The next raise waits until the hold is used up. */
  #isShort = false
  #raising: Promise<boolean> | null = null

  constructor(options: StreamBudgetOptions) {
    this.#options = options
    this.#price = options.price
    this.#promptTokens = options.promptTokensUpperBound
    this.#updateCovered()
  }

  /** Called when another channel takes over. The highest price so far applies. */
  usePrice(price: Price) {
    if (perToken(price) <= perToken(this.#price)) return
    this.#price = price
    this.#updateCovered()
  }

  /** Whether this many output bytes are paid for; a promise if the hold must be raised first. */
  covers(outputBytes: number): true | Promise<boolean> {
    if (this.#isWhole) return true
    const tokens = this.#tokensAt(outputBytes)
    // A client's low limit may hold less than the headroom. Then half of that triggers a raise.
    if (tokens + this.#ahead <= this.#covered) return true
    const isNeeded = tokens > this.#covered
    if (isNeeded && this.#raising !== null) return this.#coversAfter(this.#raising, outputBytes)
    this.#raising ??= this.#raise(outputBytes).finally(() => (this.#raising = null))
    if (isNeeded) return this.#raising
    // A caller that needs the result tries again and gets the error.
    this.#raising.catch(() => {})
    return true
  }

  /** A raise in progress may have started for fewer bytes, so its result does not count here. */
  async #coversAfter(raising: Promise<boolean>, outputBytes: number): Promise<boolean> {
    await raising.catch(() => {})
    return this.covers(outputBytes)
  }

  /** Further output bytes already paid for. */
  remainingBytes(outputBytes: number): number {
    return this.#isWhole ? Infinity : this.#covered - this.#tokensAt(outputBytes)
  }

  /** How long the hold covers hidden reasoning without a raise; Infinity if to the end. */
  growsInMs(): number {
    const { hidden } = this.#options
    if (hidden === null || this.#isWhole) return Infinity
    const coveredMs = hidden.msFor(this.#covered - this.#ahead)
    return Math.max(GROWS_MS_MIN, Math.ceil(coveredMs - hidden.elapsedMs()))
  }

  get #ahead(): number {
    return this.#isShort ? 0 : Math.min(this.#options.headroomTokens, this.#covered) / 2
  }

  /** The hold pays for all that the provider may write. */
  get #isWhole(): boolean {
    return this.#covered >= this.#tokensMax
  }

  get #tokensMax(): number {
    return this.#options.hidden?.tokensMax ?? Infinity
  }

  #tokensAt(bytes: number): number {
    const seen = this.#counted.tokens + bytes - this.#counted.bytes
    const { hidden } = this.#options
    return hidden === null ? seen : Math.max(seen, Math.min(hidden.tokens(), hidden.tokensMax))
  }

  async #raise(outputBytes: number): Promise<boolean> {
    const { hold, headroomTokens } = this.#options
    const ahead = this.#tokensAt(outputBytes) + headroomTokens
    const max = this.#costOf(Math.ceil(Math.min(ahead, this.#tokensMax)))
    if (max > hold.amount) await raiseIfPossible(hold, { min: hold.amount, max })
    this.#isShort = hold.amount < max
    this.#updateCovered()
    if (this.#tokensAt(outputBytes) + TOKENS_MIN <= this.#covered) return true
    await this.#count(outputBytes)
    return this.#tokensAt(outputBytes) + TOKENS_MIN <= this.#covered
  }

  async #count(outputBytes: number) {
    const { countPrompt, countOutput, promptTokensUpperBound } = this.#options
    if (!this.#isPromptCounted) {
      this.#isPromptCounted = true
      this.#promptTokens = Math.min(promptTokensUpperBound, await countPrompt())
      this.#updateCovered()
    }
    const tokens = await countOutput()
    // Output that arrived while counting is included, and counts again as bytes. That is the safe
    // side.
    this.#counted = { tokens, bytes: outputBytes }
  }

  get #bounds() {
    const { groupRatio } = this.#options
    return { promptTokens: this.#promptTokens, choices: 1, price: this.#price, groupRatio }
  }

  #costOf(outputTokens: number): Quota {
    return worstCase({ ...this.#bounds, outputTokens })
  }

  #updateCovered() {
    this.#covered = affordableOutputTokens(this.#options.hold.amount, this.#bounds)
  }
}
