import { END_REASON, type EndReason } from '@tollgate/contract'
import {
  type Conversation,
  type Mark,
  mayReason,
  parseUsage,
  type OutputDelta,
  outputAudioTokens,
  sumOf,
  type Tokens,
  type Usage,
} from '@tollgate/relay'
import { affordableOutputTokens } from '../../domain/price.ts'
import { createTokenCounter } from '../billing/counting.ts'
import { type EstimateOutput, estimateTokensWritten } from '../billing/estimate.ts'
import { raiseToEstimate, countOutput, type Metered } from '../billing/meter.ts'
import { raiseIfPossible } from '../billing/raise-hold.ts'
import { charge, voidRequest } from '../billing/settle-request.ts'
import { StreamBudget } from '../billing/stream-budget.ts'
import type { PricedTarget } from '../billing/terms.ts'
import {
  isWithin,
  NONE_BEYOND_LIMIT,
  maxPromptTokens,
  type UsageBounds,
  maxWrittenTokens,
} from '../billing/usage-bounds.ts'
import { CHARGE_NOT_RECORDED, Refusal } from '../errors.ts'
import {
  type Forecast,
  responseAmount,
  headroomOf,
  usageOfTokens,
  weighPrompt,
} from './response-amount.ts'
import { settleAuthorized, type RealtimeDeps, type AuthorizedRequest } from './session-access.ts'

export type RunningResponseParts = {
  readonly authorized: AuthorizedRequest
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
  #hasOutput = false
  #text = ''
  #textBytes = 0
  #audioBytes = 0

  private constructor(deps: RealtimeDeps, parts: RunningResponseParts) {
    this.#deps = deps
    this.#parts = parts
    this.isPlain = parts.isPlain
    this.mark = parts.conversation.mark()
    this.#startedAt = parts.startedAt
    this.#budget = this.#createBudget()
  }

  /** Raises the hold to what the response needs by now. */
  static async begin(
    deps: RealtimeDeps,
    parts: RunningResponseParts,
  ): Promise<{ response: RunningResponse; isPaid: boolean }> {
    const { authorized, target, forecast } = parts
    const { hold } = authorized.authorization
    const needed = responseAmount({ ...authorized.terms, targets: [target] }, forecast)
    if (hold.amount < needed.max) await raiseIfPossible(hold, needed)
    return { response: new RunningResponse(deps, parts), isPaid: hold.amount >= needed.min }
  }

  /** Whether the hold covers the output so far; a promise if the hold must be raised first. */
  addOutput({ text, audioBytes }: OutputDelta): true | Promise<boolean> {
    if (this.#firstTokenMs === 0) this.#firstTokenMs = this.#deps.clock.now() - this.#startedAt
    const before = this.output
    this.#hasOutput ||= text !== '' || audioBytes > 0
    if (this.#text.length < KEPT_CHARACTERS_MAX) this.#text += text
    this.#textBytes += Buffer.byteLength(text)
    this.#audioBytes += audioBytes
    const paid = this.#budget?.covers(this.#textBytes + this.#audioTokens) ?? true
    return paid === true ? true : this.#withholdUnless(paid, before)
  }

  /** Output that cannot be paid is withheld, and not charged unless the provider reports usage. */
  async #withholdUnless(
    paid: Promise<boolean>,
    before: RunningResponse['output'],
  ): Promise<boolean> {
    const isPaid = await paid
    if (isPaid) return true
    this.#text = before.text
    this.#textBytes = before.textBytes
    this.#audioBytes = before.audioBytes
    return false
  }

  get output() {
    return { text: this.#text, textBytes: this.#textBytes, audioBytes: this.#audioBytes }
  }

  /** Settles by the provider's report. Throws a refusal if the charge could not be written. */
  async end(report: Report, endReason: EndReason): Promise<void> {
    const end = () => this.#settle(report, endReason)
    const isRecorded = await settleAuthorized(this.#deps, this.#parts.authorized, end)
    if (!isRecorded) throw new Refusal(CHARGE_NOT_RECORDED)
  }

  /**
   * Settles without a report: charges what was delivered. If the client disconnected, also charges
   * an estimate of output that was not delivered.
   */
  async interrupt(endReason: EndReason, message: string): Promise<void> {
    const isDisconnected = endReason === END_REASON.clientLeft
    await settleAuthorized(this.#deps, this.#parts.authorized, async () =>
      this.#hasOutput || isDisconnected
        ? this.#charge(
            await this.#count(isDisconnected ? this.#estimateHiddenOutput() : undefined),
            endReason,
          )
        : this.#void(endReason, message),
    )
  }

  /**
   * Undefined if all output is visible. Hidden reasoning and output before the first delta are not
   * visible.
   */
  #estimateHiddenOutput(): ((prompt: Tokens) => EstimateOutput) | undefined {
    const { authorized, target, forecast, startedAt } = this.#parts
    const { terms, authorization } = authorized
    if (this.#hasOutput && headroomOf(target, terms.options) !== null) return undefined
    const workedMs = this.#deps.clock.now() - startedAt
    const tokens = Math.min(
      this.#maxOutputTokens,
      estimateTokensWritten(this.#deps.health, target, workedMs),
    )
    const { groupRatio } = terms
    return (prompt) => () => {
      const { promptTokens, price } = weighPrompt(target.price, { ...forecast, prompt })
      const held = authorization.hold.amount
      return Math.min(
        tokens,
        affordableOutputTokens(held, { promptTokens, choices: 1, price, groupRatio }),
      )
    }
  }

  async #settle({ status, usage }: Report, endReason: EndReason): Promise<boolean> {
    const isFailed = status === 'failed' && endReason === END_REASON.finished
    const chargeReason = isFailed ? END_REASON.brokenStream : endReason
    const reported = parseUsage(usage)
    if (reported !== null && isWithin(reported, this.#bounds)) {
      return this.#charge(await this.#withPrompt(reported), chargeReason)
    }
    if (status === 'failed' && !this.#hasOutput) {
      return this.#void(END_REASON.upstreamError, 'The response failed.')
    }
    const reportsNothing = usage !== undefined && usage !== null && !this.#hasOutput
    if (reportsNothing) return this.#void(endReason, 'The provider reported no tokens.')
    const counted = await this.#count()
    const metered: Metered =
      reported === null ? counted : { ...counted, source: 'overruled', overruled: reported }
    return this.#charge(metered, chargeReason)
  }

  get #audioTokens() {
    return outputAudioTokens(this.#audioBytes, this.#parts.outputBytesPerSecond)
  }

  get #maxOutputTokens(): number {
    const { forecast, target } = this.#parts
    return Math.min(forecast.outputLimit, target.outputTokensMax)
  }

  get #bounds(): UsageBounds {
    const { forecast, target } = this.#parts
    const { text, audio, image } = forecast.prompt
    return {
      promptTokens: maxPromptTokens(text + audio + image),
      writtenTokens: maxWrittenTokens(this.#maxOutputTokens),
      beyondLimit: NONE_BEYOND_LIMIT,
      mayReason: () => mayReason(null, target.upstreamModel),
      // A session may contain any kind of token at any time.
      mayHaveKind: () => true,
    }
  }

  #createBudget(): StreamBudget | null {
    const { authorized, target, forecast } = this.#parts
    const { terms, authorization } = authorized
    const headroomTokens = headroomOf(target, terms.options)
    if (headroomTokens === null) return null
    const { promptTokens, price } = weighPrompt(target.price, forecast)
    return new StreamBudget({
      hold: authorization.hold,
      price,
      groupRatio: terms.groupRatio,
      headroomTokens,
      promptTokensUpperBound: promptTokens,
      countPrompt: async () =>
        weighPrompt(target.price, { ...forecast, prompt: await this.#countPrompt() }).promptTokens,
      countOutput: async () => (await this.#countText()) + this.#audioTokens,
      hidden: null,
    })
  }

  get #tokenCounter() {
    const { authorized, target } = this.#parts
    const { terms, user } = authorized
    return createTokenCounter(terms.options, { model: target.upstreamModel, user })
  }

  async #countPrompt(counter = this.#tokenCounter): Promise<Tokens> {
    const { conversation, extra } = this.#parts
    const count = (text: string) => countOutput({ text, tokensBeyond: 0 }, counter)
    const known = await conversation.estimateAt(this.mark, count)
    return {
      text: known.text + (extra.text === '' ? 0 : await count(extra.text)),
      audio: known.audio + extra.tokens.audio,
      image: known.image + extra.tokens.image,
    }
  }

  async #countText(counter = this.#tokenCounter): Promise<number> {
    if (this.#text === '') return 0
    return countOutput({ text: this.#text, tokensBeyond: 0 }, counter)
  }

  async #count(hiddenOutput?: (prompt: Tokens) => EstimateOutput): Promise<Metered> {
    const counter = this.#tokenCounter
    const output = { text: await this.#countText(counter), audio: this.#audioTokens }
    const prompt = await this.#countPrompt(counter)
    const usage = usageOfTokens(prompt, output)
    return raiseToEstimate({ source: counter.source(), usage }, hiddenOutput?.(prompt))
  }

  /** No prompt is empty: a report without prompt tokens covers only the output. */
  async #withPrompt(reported: Usage): Promise<Metered> {
    if (reported.promptTokens > 0) return { source: 'reported', usage: reported }
    const counter = this.#tokenCounter
    const prompt = usageOfTokens(await this.#countPrompt(counter), { text: 0, audio: 0 })
    return { source: counter.source(), usage: sumOf(prompt, reported) }
  }

  #charge(metered: Metered, endReason: EndReason): Promise<boolean> {
    const { authorized, target } = this.#parts
    const context = { ...authorized, arrivedAt: this.#startedAt }
    const { price, upstreamModel } = target
    const firstTokenMs = this.#firstTokenMs
    return charge(this.#deps, context, {
      target,
      price,
      metered,
      endReason,
      firstTokenMs,
      upstreamModel,
    })
  }

  #void(endReason: EndReason, content: string): Promise<boolean> {
    const { authorized } = this.#parts
    const context = { ...authorized, arrivedAt: this.#startedAt }
    return voidRequest(this.#deps, context, { endReason, content })
  }
}
