import { END_REASON, type EndReason } from '@tollgate/contract'
import {
  type Conversation,
  type Mark,
  mayReason,
  parseUsage,
  type Said,
  spokenTokens,
  sumOf,
  type Tokens,
  type Usage,
} from '@tollgate/relay'
import { outputWithin } from '../../domain/price.ts'
import { countingOf } from '../billing/counting.ts'
import { type EstimateOutput, tokensWritten } from '../billing/estimate.ts'
import { outputWithoutLimit } from '../billing/hold-amount.ts'
import { atLeast, countOutput, type Metered } from '../billing/meter.ts'
import { raiseIfPossible } from '../billing/raise-hold.ts'
import { charge, refund } from '../billing/settle-request.ts'
import { StreamBudget } from '../billing/stream-budget.ts'
import type { PricedTarget } from '../billing/terms.ts'
import {
  isWithin,
  NOTHING_BEYOND,
  promptMost,
  type UsageBounds,
  writtenMost,
} from '../billing/usage-bounds.ts'
import { NOT_WRITTEN, Refusal } from '../errors.ts'
import { type Forecast, responseAmount, sliceOf, usageOfTokens, weigh } from './amounts.ts'
import { endAuthorized, type RealtimeDeps, type AuthorizedRequest } from './session-access.ts'

export type RunningResponseParts = {
  readonly reserved: AuthorizedRequest
  readonly target: PricedTarget
  readonly conversation: Conversation
  readonly forecast: Forecast
  /**
   * The response answers the conversation as is, so its usage report gives the conversation's size.
   */
  readonly isPlain: boolean
  /** Input given for this response only. */
  readonly extra: { readonly text: string; readonly tokens: Tokens }
  readonly outputBytesPerSecond: number
  readonly startedAt: number
}

export type Report = { readonly status: string; readonly usage: unknown }

const KEPT_CHARACTERS_MAX = 1024 * 1024

/** One running response: counts its output as it passes and keeps its hold ahead of it. */
export class RunningResponse {
  readonly isPlain: boolean
  readonly mark: Mark
  readonly #deps: RealtimeDeps
  readonly #parts: RunningResponseParts
  readonly #budget: StreamBudget | null
  readonly #startedAt: number
  #firstTokenMs = 0
  /** Also true for withheld output, because the provider has read the prompt. */
  #hasSaid = false
  #text = ''
  #textBytes = 0
  #audioBytes = 0

  private constructor(deps: RealtimeDeps, parts: RunningResponseParts) {
    this.#deps = deps
    this.#parts = parts
    this.isPlain = parts.isPlain
    this.mark = parts.conversation.mark()
    this.#startedAt = parts.startedAt
    this.#budget = this.#openAllowance()
  }

  /** Raises the hold to what the response needs by now. */
  static async begin(
    deps: RealtimeDeps,
    parts: RunningResponseParts,
  ): Promise<{ response: RunningResponse; isPaid: boolean }> {
    const { reserved, target, forecast } = parts
    const { hold } = reserved.authorization
    const needed = responseAmount({ ...reserved.terms, targets: [target] }, forecast)
    if (hold.amount < needed.max) await raiseIfPossible(hold, needed)
    return { response: new RunningResponse(deps, parts), isPaid: hold.amount >= needed.min }
  }

  /** Whether the hold covers the output so far; a promise if the hold must be raised first. */
  says({ text, audioBytes }: Said): true | Promise<boolean> {
    if (this.#firstTokenMs === 0) this.#firstTokenMs = this.#deps.now() - this.#startedAt
    const before = this.said
    this.#hasSaid ||= text !== '' || audioBytes > 0
    if (this.#text.length < KEPT_CHARACTERS_MAX) this.#text += text
    this.#textBytes += Buffer.byteLength(text)
    this.#audioBytes += audioBytes
    const paid = this.#budget?.covers(this.#textBytes + this.#audioTokens) ?? true
    return paid === true ? true : this.#unsayUnless(paid, before)
  }

  /** Output that cannot be paid is withheld, and not charged unless the provider reports usage. */
  async #unsayUnless(paid: Promise<boolean>, before: RunningResponse['said']): Promise<boolean> {
    const isPaid = await paid
    if (isPaid) return true
    this.#text = before.text
    this.#textBytes = before.textBytes
    this.#audioBytes = before.audioBytes
    return false
  }

  get said() {
    return { text: this.#text, textBytes: this.#textBytes, audioBytes: this.#audioBytes }
  }

  /** Settles by the provider's report. Throws a refusal if the charge could not be written. */
  async end(report: Report, endReason: EndReason): Promise<void> {
    const end = () => this.#endAs(report, endReason)
    const isWritten = await endAuthorized(this.#deps, this.#parts.reserved, end)
    if (!isWritten) throw new Refusal(NOT_WRITTEN)
  }

  /**
   * Settles without a report: charges what was delivered. If the client disconnected, also charges
   * an estimate of output that was not delivered.
   */
  async breakOff(endReason: EndReason, message: string): Promise<void> {
    const isLeft = endReason === END_REASON.clientLeft
    await endAuthorized(this.#deps, this.#parts.reserved, async () =>
      this.#hasSaid || isLeft
        ? this.#charge(await this.#count(isLeft ? this.#unseenOutput() : undefined), endReason)
        : this.#giveBack(endReason, message),
    )
  }

  /**
   * Undefined if all output is visible. Hidden reasoning and output before the first delta are not
   * visible.
   */
  #unseenOutput(): ((prompt: Tokens) => EstimateOutput) | undefined {
    const { reserved, target, forecast, startedAt } = this.#parts
    const { terms, authorization } = reserved
    if (this.#hasSaid && sliceOf(target, terms.options) !== null) return undefined
    const workedMs = this.#deps.now() - startedAt
    const tokens = Math.min(this.#outputMost, tokensWritten(this.#deps.health, target, workedMs))
    const { groupRatio } = terms
    return (prompt) => () => {
      const { promptTokens, price } = weigh(target.price, { ...forecast, prompt })
      const held = authorization.hold.amount
      return Math.min(tokens, outputWithin(held, { promptTokens, choices: 1, price, groupRatio }))
    }
  }

  async #endAs({ status, usage }: Report, endReason: EndReason): Promise<boolean> {
    const isFailed = status === 'failed' && endReason === END_REASON.finished
    const chargedFor = isFailed ? END_REASON.brokenStream : endReason
    const reported = parseUsage(usage)
    if (reported !== null && isWithin(reported, this.#bounds)) {
      return this.#charge(await this.#withPrompt(reported), chargedFor)
    }
    if (status === 'failed' && !this.#hasSaid) {
      return this.#giveBack(END_REASON.upstreamError, 'The response failed.')
    }
    const saysNothing = usage !== undefined && usage !== null && !this.#hasSaid
    if (saysNothing) return this.#giveBack(endReason, 'The provider reported no tokens.')
    const counted = await this.#count()
    const metered: Metered =
      reported === null ? counted : { ...counted, source: 'overruled', overruled: reported }
    return this.#charge(metered, chargedFor)
  }

  get #audioTokens() {
    return spokenTokens(this.#audioBytes, this.#parts.outputBytesPerSecond)
  }

  get #outputMost(): number {
    const { forecast, target, reserved } = this.#parts
    return Math.min(forecast.outputLimit, outputWithoutLimit(target, reserved.terms.options))
  }

  get #bounds(): UsageBounds {
    const { forecast, target } = this.#parts
    const { text, audio, image } = forecast.prompt
    return {
      promptTokens: promptMost(text + audio + image),
      writtenTokens: writtenMost(this.#outputMost),
      beyondLimit: NOTHING_BEYOND,
      reasons: () => mayReason(null, target.upstreamModel),
      // A session may contain any kind of token at any time.
      has: () => true,
    }
  }

  #openAllowance(): StreamBudget | null {
    const { reserved, target, forecast } = this.#parts
    const { terms, authorization } = reserved
    const headroomTokens = sliceOf(target, terms.options)
    if (headroomTokens === null) return null
    const { promptTokens, price } = weigh(target.price, forecast)
    return new StreamBudget({
      hold: authorization.hold,
      price,
      groupRatio: terms.groupRatio,
      headroomTokens,
      promptTokensUpperBound: promptTokens,
      countPrompt: async () =>
        weigh(target.price, { ...forecast, prompt: await this.#countPrompt() }).promptTokens,
      countOutput: async () => (await this.#countText()) + this.#audioTokens,
    })
  }

  get #counting() {
    const { reserved, target } = this.#parts
    const { terms, user } = reserved
    return countingOf(terms.options, { model: target.upstreamModel, user })
  }

  async #countPrompt(counting = this.#counting): Promise<Tokens> {
    const { conversation, extra } = this.#parts
    const count = (text: string) => countOutput({ text, tokensBeyond: 0 }, counting)
    const known = await conversation.countAt(this.mark, count)
    return {
      text: known.text + (extra.text === '' ? 0 : await count(extra.text)),
      audio: known.audio + extra.tokens.audio,
      image: known.image + extra.tokens.image,
    }
  }

  async #countText(counting = this.#counting): Promise<number> {
    if (this.#text === '') return 0
    return countOutput({ text: this.#text, tokensBeyond: 0 }, counting)
  }

  async #count(unseen?: (prompt: Tokens) => EstimateOutput): Promise<Metered> {
    const counting = this.#counting
    const said = { text: await this.#countText(counting), audio: this.#audioTokens }
    const prompt = await this.#countPrompt(counting)
    const usage = usageOfTokens(prompt, said)
    return atLeast({ source: counting.source(), usage }, unseen?.(prompt))
  }

  /** No prompt is empty: a report without prompt tokens covers only the output. */
  async #withPrompt(reported: Usage): Promise<Metered> {
    if (reported.promptTokens > 0) return { source: 'reported', usage: reported }
    const counting = this.#counting
    const prompt = usageOfTokens(await this.#countPrompt(counting), { text: 0, audio: 0 })
    return { source: counting.source(), usage: sumOf(prompt, reported) }
  }

  #charge(metered: Metered, endReason: EndReason): Promise<boolean> {
    const { reserved, target } = this.#parts
    const job = { ...reserved, arrivedAt: this.#startedAt }
    const { price, upstreamModel } = target
    const firstTokenMs = this.#firstTokenMs
    return charge(this.#deps, job, {
      target,
      price,
      metered,
      endReason,
      firstTokenMs,
      upstreamModel,
    })
  }

  #giveBack(endReason: EndReason, content: string): Promise<boolean> {
    const { reserved } = this.#parts
    const job = { ...reserved, arrivedAt: this.#startedAt }
    return refund(this.#deps, job, { endReason, content })
  }
}
