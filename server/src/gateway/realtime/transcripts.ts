import { type AttemptRecord, END_REASON, type EndReason } from '@tollgate/contract'
import {
  member,
  parseUsage,
  type RealtimeEvent,
  textOf,
  type Usage,
  usageForUnits,
} from '@tollgate/relay'
import { costOf, worstCase } from '../../domain/price.ts'
import { createTokenCounter } from '../billing/counting.ts'
import { raiseToEstimate, countOutput, type Metered } from '../billing/meter.ts'
import { raiseIfPossible } from '../billing/raise-hold.ts'
import { charge, voidRequest } from '../billing/settle-request.ts'
import { termsOf } from '../billing/terms-of.ts'
import type { PricedTarget, Terms } from '../billing/terms.ts'
import {
  isWithin,
  NONE_BEYOND_LIMIT,
  maxPromptTokens,
  maxWrittenTokens,
} from '../billing/usage-bounds.ts'
import { CHARGE_NOT_RECORDED, Refusal } from '../errors.ts'
import { requireAllowedModel } from '../intake/identify.ts'
import { type Route, routeTo } from '../routing/route.ts'
import { usageOfTokens } from './response-amount.ts'
import {
  attemptIn,
  settleAuthorized,
  type RealtimeDeps,
  type AuthorizedRequest,
  authorizeInSession,
  type SessionAccess,
} from './session-access.ts'

/*
 * User speech may be transcribed by another model than the one that answers, at that model's price.
 * Each item is a request of its own, which starts at its commit or at the first delta of its text.
 */

type OpenItem = {
  readonly authorized: AuthorizedRequest
  readonly model: string
  audioTokens: number
  /** The item's audio is complete. */
  isAudioComplete: boolean
  /** Text delivered so far. */
  text: string
}

/** Model of a transcript, and audio tokens of its item so far. */
type ItemAudio = { readonly model: string; readonly audioTokens: number }

const TOKENS_PER_SECOND = 10
/** Text tokens per second of speech, at 150 to 180 words a minute. */
const TEXT_TOKENS_PER_SECOND = 4
/** Twice the longest session at OpenAI. */
const SECONDS_MAX = 2 * 3600
/** Minimum for very short items; otherwise text has at most as many tokens as its audio. */
const TOKENS_MIN = 64
const OPEN_MAX = 64
const MODEL_LENGTH_MAX = 200
const KEPT_CHARACTERS_MAX = 1024 * 1024
/** Remembered ids of ended items, so that a repeated report is charged once. */
const ENDED_MAX = 256
/** Held ahead of an item whose audio continues: half a minute. */
const HEADROOM_TOKENS = 300

export class Transcripts {
  readonly #deps: RealtimeDeps
  readonly #access: SessionAccess
  readonly #target: PricedTarget
  /** The attempt that opened the session. */
  readonly #opened: AttemptRecord | undefined
  readonly #open = new Map<string, OpenItem>()
  readonly #ended = new Set<string>()
  #closedBy: EndReason | null = null
  /** Audio tokens of ended items. */
  #endedAudioTokens = 0

  constructor(
    deps: RealtimeDeps,
    access: SessionAccess,
    { target, first }: { readonly target: PricedTarget; readonly first: AuthorizedRequest },
  ) {
    this.#deps = deps
    this.#access = access
    this.#target = target
    this.#opened = first.attempts.at(-1)
  }

  /** Throws a refusal if the caller may not use the model or the model has no price. */
  async requireUsableModel(model: string): Promise<void> {
    if (model.length > MODEL_LENGTH_MAX) {
      const message = `A model name has at most ${MODEL_LENGTH_MAX} characters.`
      throw new Refusal({ status: 400, code: 'invalid_value', param: 'model', message })
    }
    requireAllowedModel(await this.#deps.authenticate.caller(this.#access.request), model)
    termsOf(this.#deps, this.#routeTo(model), model)
  }

  /** The item's audio is complete. Returns false if it is not paid; throws a refusal. */
  async begin(item: string, { model, audioTokens }: ItemAudio): Promise<boolean> {
    const open = await this.#openItem(item, { model, audioTokens })
    if (open === undefined) return true
    open.isAudioComplete = true
    open.audioTokens = Math.max(open.audioTokens, audioTokens)
    return this.#cover(open)
  }

  /**
   * A transcript delta; some models send it before the audio is complete. Results as in `begin`.
   */
  async addDelta({ json }: RealtimeEvent, { model, audioTokens }: ItemAudio): Promise<boolean> {
    const item = textOf(member(json, 'item_id'))
    if (item === '' || this.#ended.has(item)) return true
    const open = await this.#openItem(item, { model, audioTokens })
    if (open === undefined) return false
    const delivered = open.text
    if (open.text.length < KEPT_CHARACTERS_MAX) open.text += textOf(member(json, 'delta'))
    if (open.isAudioComplete) return true
    open.audioTokens = Math.max(open.audioTokens, audioTokens)
    const isPaid = await this.#cover(open)
    // Withheld text is not charged; audio the provider has heard is.
    if (!isPaid) open.text = delivered
    return isPaid
  }

  /**
   * Charges a transcript. Throws a refusal if no hold can be taken or the charge could not be
   * written.
   */
  async end({ json }: RealtimeEvent, { model, audioTokens }: ItemAudio): Promise<void> {
    const item = textOf(member(json, 'item_id'))
    if (this.#closedBy !== null || this.#ended.has(item)) return
    // An unknown item has at most the audio heard so far that no other item has.
    const unknown = Math.max(0, audioTokens - this.#endedAudioTokens)
    const open = this.#remove(item) ?? (await this.#authorizeItem(model, unknown))
    this.#endedAudioTokens += open.audioTokens
    const isRecorded = await this.#charge(open.authorized, END_REASON.finished, () =>
      meterItem(open, json),
    )
    if (!isRecorded) throw new Refusal(CHARGE_NOT_RECORDED)
  }

  async fail({ json }: RealtimeEvent): Promise<void> {
    const open = this.#remove(textOf(member(json, 'item_id')))
    if (open?.text === '') await this.#void(open, END_REASON.upstreamError)
    else if (open !== undefined) await this.#chargeWritten(open, END_REASON.brokenStream)
  }

  get count(): number {
    return this.#open.size
  }

  /** Charges all open items. Returns the settlements in progress. */
  close(endReason: EndReason): Promise<unknown>[] {
    this.#closedBy = endReason
    const open = [...this.#open.values()]
    this.#open.clear()
    return open.map((item) => {
      if (endReason === END_REASON.clientLeft && item.isAudioComplete)
        return this.#chargeWithEstimate(item)
      return item.text === '' ? this.#void(item, endReason) : this.#chargeWritten(item, endReason)
    })
  }

  /**
   * A provider that has all of an item's audio transcribes and bills it, with or without a reader.
   */
  #chargeWithEstimate(open: OpenItem) {
    return this.#charge(open.authorized, END_REASON.clientLeft, async () => {
      const counted = await count(open, open.text)
      const written = Math.ceil((open.audioTokens / TOKENS_PER_SECOND) * TEXT_TOKENS_PER_SECOND)
      return isWhisper(open.model) ? counted : raiseToEstimate(counted, () => written)
    })
  }

  #chargeWritten(open: OpenItem, endReason: EndReason) {
    return this.#charge(open.authorized, endReason, () => count(open, open.text))
  }

  #charge(authorized: AuthorizedRequest, endReason: EndReason, meter: () => Promise<Metered>) {
    return settleAuthorized(this.#deps, authorized, async () => {
      const [target] = authorized.terms.targets
      if (target === undefined) throw new Error('a transcript has no price')
      const { price, upstreamModel } = target
      return charge(this.#deps, authorized, {
        target,
        price,
        metered: await meter(),
        endReason,
        firstTokenMs: 0,
        upstreamModel,
      })
    })
  }

  #void({ authorized }: OpenItem, endReason: EndReason) {
    return settleAuthorized(this.#deps, authorized, () =>
      voidRequest(this.#deps, authorized, { endReason, content: 'Nothing was transcribed.' }),
    )
  }

  #remove(item: string): OpenItem | undefined {
    const open = this.#open.get(item)
    this.#open.delete(item)
    if (item === '') return open
    this.#ended.add(item)
    const [oldest] = this.#ended
    if (this.#ended.size > ENDED_MAX && oldest !== undefined) this.#ended.delete(oldest)
    return open
  }

  /** Undefined after the session has closed. Throws a refusal if too many items are open. */
  async #openItem(item: string, { model, audioTokens }: ItemAudio): Promise<OpenItem | undefined> {
    const known = this.#open.get(item)
    if (known !== undefined) return known
    if (this.#open.size >= OPEN_MAX) throw tooMuchAtOnce()
    const open = await this.#authorizeItem(model, audioTokens)
    // The session may have closed meanwhile.
    if (this.#closedBy !== null) {
      await this.#void(open, this.#closedBy)
      return undefined
    }
    this.#open.set(item, open)
    return open
  }

  /** Whether the audio is paid; raises the hold if needed. */
  async #cover({ authorized, audioTokens, isAudioComplete }: OpenItem): Promise<boolean> {
    const { terms, authorization } = authorized
    const { hold } = authorization
    const { min } = transcriptAmount(terms, audioTokens)
    if (hold.amount >= min) return true
    await raiseIfPossible(
      hold,
      transcriptAmount(terms, audioTokens + (isAudioComplete ? 0 : HEADROOM_TOKENS)),
    )
    return hold.amount >= min
  }

  #routeTo(model: string): Route {
    return routeTo(this.#access.route, { ...this.#target, upstreamModel: model })
  }

  async #authorizeItem(model: string, audioTokens: number): Promise<OpenItem> {
    const authorized = await authorizeInSession(this.#deps, this.#access, {
      model,
      route: this.#routeTo(model),
      amountOf: (terms) => transcriptAmount(terms, audioTokens),
      promptTokens: 0,
      attempts: [attemptIn({ id: this.#target.id, upstreamModel: model }, this.#opened)],
    })
    return { authorized, model, audioTokens, isAudioComplete: false, text: '' }
  }
}

const tooMuchAtOnce = () =>
  new Refusal({
    status: 429,
    code: 'too_many_transcripts',
    message: `At most ${OPEN_MAX} items can be transcribed at once.`,
  })

/** The larger of the prices by token and by second, as models use either. */
export function transcriptAmount({ targets, groupRatio }: Terms, audioTokens: number) {
  const amount = targets.reduce((highest, { price }) => {
    const outputTokens = Math.max(TOKENS_MIN, audioTokens)
    const byTokens = worstCase({
      promptTokens: audioTokens + TOKENS_MIN,
      outputTokens,
      choices: 1,
      price,
      groupRatio,
    })
    return Math.max(highest, byTokens, costOf(bySeconds(audioTokens), price, groupRatio))
  }, 0)
  return { min: amount, max: amount }
}

const bySeconds = (audioTokens: number) =>
  usageForUnits({ unit: 'second', count: Math.ceil(audioTokens / TOKENS_PER_SECOND) })

/** Providers may report slightly more audio than was sent, due to padding and rounding. */
const AUDIO_FACTOR = 1.25
const SECONDS_SLACK = 2

/** The reported usage of an item; null for a missing or invalid report. */
function readUsage(usage: unknown): Usage | null {
  if (member(usage, 'type') !== 'duration') return parseUsage(usage)
  const seconds = member(usage, 'seconds')
  const isLength = typeof seconds === 'number' && seconds >= 0 && seconds <= SECONDS_MAX
  return isLength ? usageForUnits({ unit: 'second', count: Math.ceil(seconds) }) : null
}

function isPlausible(usage: Usage, audioTokens: number): boolean {
  const maxAudioTokens = AUDIO_FACTOR * audioTokens
  const { measured } = usage
  if (measured !== undefined) {
    return measured.count <= Math.ceil(maxAudioTokens / TOKENS_PER_SECOND) + SECONDS_SLACK
  }
  return isWithin(usage, {
    promptTokens: maxPromptTokens(maxAudioTokens),
    writtenTokens: maxWrittenTokens(audioTokens),
    beyondLimit: NONE_BEYOND_LIMIT,
    mayReason: () => false,
    mayHaveKind: () => true,
  })
}

/** Billed by the second, whatever the length of the text. */
const isWhisper = (model: string) => model.includes('whisper')

async function meterItem(open: OpenItem, json: RealtimeEvent['json']): Promise<Metered> {
  const usage = readUsage(member(json, 'usage'))
  if (usage !== null && isPlausible(usage, open.audioTokens)) return { source: 'reported', usage }
  const counted = await count(open, textOf(member(json, 'transcript')))
  return usage === null ? counted : { ...counted, source: 'overruled', overruled: usage }
}

async function count(
  { authorized, model, audioTokens }: OpenItem,
  transcript: string,
): Promise<Metered> {
  if (isWhisper(model)) return { source: 'counted', usage: bySeconds(audioTokens) }
  const counter = createTokenCounter(authorized.terms.options, { model, user: authorized.user })
  const text = await countOutput({ text: transcript, tokensBeyond: 0 }, counter)
  const usage = usageOfTokens({ text: 0, audio: audioTokens, image: 0 }, { text, audio: 0 })
  return { source: counter.source(), usage }
}
