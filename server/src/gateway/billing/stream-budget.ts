import type { Quota } from '@tollgate/contract'
import { countPrompt } from '@tollgate/relay'
import { outputWithin, type Price, worstCase } from '../../domain/price.ts'
import type { Hold } from '../../ledger/ledger.ts'
import type { RelayContext } from '../context.ts'
import { countingFor } from './counting.ts'
import { raiseIfPossible } from './raise-hold.ts'
import type { PricedTarget } from './terms.ts'

/** Null for a request whose whole output was held before it began. */
export function createStreamBudget(
  {
    asked,
    terms,
    authorization,
    user,
  }: Pick<RelayContext, 'asked' | 'terms' | 'authorization' | 'user'>,
  speaker: PricedTarget,
  countOutput: () => Promise<number>,
): StreamBudget | null {
  const { hold, headroomTokens, promptTokens } = authorization
  const { groupRatio, options } = terms
  if (headroomTokens === null) return null
  const counted = countingFor(options, user)
  return new StreamBudget({
    hold,
    price: speaker.price,
    groupRatio,
    headroomTokens,
    promptTokensUpperBound: promptTokens,
    countPrompt: () => countPrompt(asked, { ...counted, model: speaker.upstreamModel }),
    countOutput,
  })
}

type StreamBudgetParts = {
  hold: Pick<Hold, 'amount' | 'raise'>
  /** Of the channel that speaks first. */
  price: Price
  groupRatio: number
  /** Tokens held ahead of what has been said, at most. */
  headroomTokens: number
  /** The most tokens the prompt may have; they are counted only where the money comes to its end. */
  promptTokensUpperBound: number
  countPrompt: () => Promise<number>
  countOutput: () => Promise<number>
}

const perToken = ({ model_ratio, completion_ratio }: Price) => model_ratio * completion_ratio

/** With fewer tokens left than this a stream is cut off rather than counted once more. */
const TOKENS_LEAST = 16

/**
 * Keeps the hold of a stream ahead of its output. A byte counts as a token until that cannot be paid;
 * then tokens are counted, so that a stream gets as far as its owner's balance goes.
 */
export class StreamBudget {
  readonly #parts: StreamBudgetParts
  /** The dearest of those that have spoken. */
  #price: Price
  #promptTokens: number
  #isPromptCounted = false
  /** Tokens that were counted, and the bytes they had. */
  #counted = { tokens: 0, bytes: 0 }
  /** So many tokens what is held pays for. */
  #covered = 0
  /** There was less than a slice to be had; the next try is where what is held comes to its end. */
  #isShort = false
  #raising: Promise<boolean> | null = null

  constructor(parts: StreamBudgetParts) {
    this.#parts = parts
    this.#price = parts.price
    this.#promptTokens = parts.promptTokensUpperBound
    this.#cover()
  }

  /** Another channel goes on, at a price of its own. */
  goesOnAt(price: Price) {
    if (perToken(price) <= perToken(this.#price)) return
    this.#price = price
    this.#cover()
  }

  /** Whether an output of so many bytes is paid for; a promise where that has to be found out first. */
  covers(outputBytes: number): true | Promise<boolean> {
    const tokens = this.#tokensAt(outputBytes)
    // Where less than a slice is held, as for a client's low limit, it is raised when half of that is said.
    const ahead = this.#isShort ? 0 : Math.min(this.#parts.headroomTokens, this.#covered) / 2
    if (tokens + ahead <= this.#covered) return true
    const isNeeded = tokens > this.#covered
    if (isNeeded && this.#raising !== null) return this.#coversAfter(this.#raising, outputBytes)
    this.#raising ??= this.#raise(outputBytes).finally(() => (this.#raising = null))
    if (isNeeded) return this.#raising
    // Whoever comes to where it is needed tries again, and hears why not.
    this.#raising.catch(() => {})
    return true
  }

  /** A raise that is under way may have begun for less, so that what it answers is no answer here. */
  async #coversAfter(raising: Promise<boolean>, outputBytes: number): Promise<boolean> {
    await raising.catch(() => {})
    return this.covers(outputBytes)
  }

  /** How many more bytes than these are paid for by now. */
  room(outputBytes: number): number {
    return this.#covered - this.#tokensAt(outputBytes)
  }

  #tokensAt(bytes: number): number {
    return this.#counted.tokens + bytes - this.#counted.bytes
  }

  async #raise(outputBytes: number): Promise<boolean> {
    const { hold, headroomTokens } = this.#parts
    const most = this.#costOf(this.#tokensAt(outputBytes) + headroomTokens)
    if (most > hold.amount) await raiseIfPossible(hold, { least: hold.amount, most })
    this.#isShort = hold.amount < most
    this.#cover()
    if (this.#tokensAt(outputBytes) + TOKENS_LEAST <= this.#covered) return true
    await this.#count(outputBytes)
    return this.#tokensAt(outputBytes) + TOKENS_LEAST <= this.#covered
  }

  async #count(outputBytes: number) {
    const { countPrompt, countOutput, promptTokensUpperBound } = this.#parts
    if (!this.#isPromptCounted) {
      this.#isPromptCounted = true
      this.#promptTokens = Math.min(promptTokensUpperBound, await countPrompt())
      this.#cover()
    }
    const tokens = await countOutput()
    // What came while it was counted is in it, and counts again as bytes: on the safe side.
    this.#counted = { tokens, bytes: outputBytes }
  }

  get #bounds() {
    const { groupRatio } = this.#parts
    return { promptTokens: this.#promptTokens, choices: 1, price: this.#price, groupRatio }
  }

  #costOf(outputTokens: number): Quota {
    return worstCase({ ...this.#bounds, outputTokens })
  }

  #cover() {
    this.#covered = outputWithin(this.#parts.hold.amount, this.#bounds)
  }
}
