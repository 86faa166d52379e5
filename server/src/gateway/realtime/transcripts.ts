import { END_REASON, type EndReason } from '@tollgate/contract'
import {
  member,
  parseUsage,
  type RealtimeEvent,
  textOf,
  type Usage,
  usageOfPieces,
} from '@tollgate/relay'
import { costOf, worstCase } from '../../domain/price.ts'
import { termsOf } from '../billing/authorize.ts'
import { countingOf } from '../billing/counting.ts'
import { atLeast, countOutput, type Metered } from '../billing/meter.ts'
import { raiseIfPossible } from '../billing/raise-hold.ts'
import { charge, refund } from '../billing/settle-request.ts'
import type { PricedTarget, Terms } from '../billing/terms.ts'
import { isWithin, NOTHING_BEYOND, promptMost, writtenMost } from '../billing/usage-bounds.ts'
import { NOT_WRITTEN, Refusal } from '../errors.ts'
import { admitModel } from '../intake/admit.ts'
import type { Route } from '../routing/route.ts'
import { usageOfTokens } from './amounts.ts'
import {
  attemptIn,
  endAuthorized,
  type RealtimeDeps,
  type AuthorizedRequest,
  authorizeAt,
  type SessionAccess,
} from './session-access.ts'

/*
 * What a user says may be written down, by another model than the one that answers and at the price of that
 * one. Each item is a request of its own, from its commit or the first piece of its text on.
 */

type Open = {
  readonly reserved: AuthorizedRequest
  readonly model: string
  audioTokens: number
  /** All of it was said. */
  isWhole: boolean
  /** What was written down so far and delivered. */
  text: string
}

/** What a piece of a transcript is of. */
type Hearing = { readonly model: string; readonly audioTokens: number }

const TOKENS_PER_SECOND = 10
/** Of the text of a second of speech, as people speak 150 to 180 words a minute. */
const TEXT_TOKENS_PER_SECOND = 4
/** Twice what a session of OpenAI's lasts at most. */
const SECONDS_MAX = 2 * 3600
/** Nobody speaks more tokens than that sound has; a few for what is shortest. */
const TOKENS_LEAST = 64
const OPEN_MAX = 64
const MODEL_LENGTH_MAX = 200
const KEPT_CHARACTERS_MAX = 1024 * 1024
/** Of items that have ended: what comes of them twice is charged once. */
const ENDED_MAX = 256
/** Held ahead where something is written down that goes on being said: half a minute. */
const AHEAD_TOKENS = 300

export class Transcripts {
  readonly #deps: RealtimeDeps
  readonly #access: SessionAccess
  readonly #target: PricedTarget
  readonly #open = new Map<string, Open>()
  readonly #ended = new Set<string>()
  #closedBy: EndReason | null = null
  /** Tokens of audio in the items that have ended. */
  #heard = 0

  constructor(deps: RealtimeDeps, access: SessionAccess, target: PricedTarget) {
    this.#deps = deps
    this.#access = access
    this.#target = target
  }

  /** Throws a refusal of a model that its caller may not use, or that has no price. */
  async admit(model: string): Promise<void> {
    if (model.length > MODEL_LENGTH_MAX) {
      const message = `The name of a model has at most ${MODEL_LENGTH_MAX} characters.`
      throw new Refusal({ status: 400, code: 'invalid_value', param: 'model', message })
    }
    admitModel(await this.#deps.authenticate.caller(this.#access.request), model)
    termsOf(this.#routeTo(model), model, this.#deps.settings.current())
  }

  /** All of an item was said. False where that is not paid for; throws a refusal. */
  async begin(item: string, { model, audioTokens }: Hearing): Promise<boolean> {
    const open = await this.#openAt(item, { model, audioTokens })
    if (open === undefined) return true
    open.isWhole = true
    open.audioTokens = Math.max(open.audioTokens, audioTokens)
    return this.#cover(open)
  }

  /** A piece was written down, by some models before all was said. False and refusals as of `begin`. */
  async hear({ json }: RealtimeEvent, { model, audioTokens }: Hearing): Promise<boolean> {
    const item = textOf(member(json, 'item_id'))
    if (item === '' || this.#ended.has(item)) return true
    const open = await this.#openAt(item, { model, audioTokens })
    if (open === undefined) return false
    const delivered = open.text
    if (open.text.length < KEPT_CHARACTERS_MAX) open.text += textOf(member(json, 'delta'))
    if (open.isWhole) return true
    open.audioTokens = Math.max(open.audioTokens, audioTokens)
    const isPaid = await this.#cover(open)
    // What is withheld is not charged; what its provider has heard is.
    if (!isPaid) open.text = delivered
    return isPaid
  }

  /** Charges what was written down; throws a refusal where nothing can be held for it, or its charge is written nowhere. */
  async end({ json }: RealtimeEvent, { model, audioTokens }: Hearing): Promise<void> {
    const item = textOf(member(json, 'item_id'))
    if (this.#closedBy !== null || this.#ended.has(item)) return
    // An item that nobody told of is at most what was heard and is of no other.
    const unknown = Math.max(0, audioTokens - this.#heard)
    const open = this.#take(item) ?? (await this.#reserve(model, unknown))
    this.#heard += open.audioTokens
    const isWritten = await this.#charge(open.reserved, END_REASON.finished, () =>
      meterItem(open, json),
    )
    if (!isWritten) throw new Refusal(NOT_WRITTEN)
  }

  async fail({ json }: RealtimeEvent): Promise<void> {
    const open = this.#take(textOf(member(json, 'item_id')))
    if (open?.text === '') await this.#void(open, END_REASON.upstreamError)
    else if (open !== undefined) await this.#chargeWritten(open, END_REASON.brokenStream)
  }

  get count(): number {
    return this.#open.size
  }

  /** Nothing more will be written down: what was is charged. Gives the ends of all. */
  close(endReason: EndReason): Promise<unknown>[] {
    this.#closedBy = endReason
    const open = [...this.#open.values()]
    this.#open.clear()
    return open.map((one) => {
      if (endReason === END_REASON.clientLeft && one.isWhole) return this.#chargeUnread(one)
      return one.text === '' ? this.#void(one, endReason) : this.#chargeWritten(one, endReason)
    })
  }

  /** A provider that was given all of an item writes all of it down, whoever reads that. */
  #chargeUnread(open: Open) {
    return this.#charge(open.reserved, END_REASON.clientLeft, async () => {
      const counted = await count(open, open.text)
      const written = Math.ceil((open.audioTokens / TOKENS_PER_SECOND) * TEXT_TOKENS_PER_SECOND)
      return isWhisper(open.model) ? counted : atLeast(counted, () => written)
    })
  }

  #chargeWritten(open: Open, endReason: EndReason) {
    return this.#charge(open.reserved, endReason, () => count(open, open.text))
  }

  #charge(reserved: AuthorizedRequest, endReason: EndReason, meter: () => Promise<Metered>) {
    return endAuthorized(this.#deps, reserved, async () => {
      const [target] = reserved.terms.targets
      if (target === undefined) throw new Error('a transcript has no price')
      const { price, upstreamModel } = target
      return charge(this.#deps, reserved, {
        target,
        price,
        metered: await meter(),
        endReason,
        firstTokenMs: 0,
        upstreamModel,
      })
    })
  }

  #void({ reserved }: Open, endReason: EndReason) {
    return endAuthorized(this.#deps, reserved, () =>
      refund(this.#deps, reserved, { endReason, content: 'Nothing was written down.' }),
    )
  }

  #take(item: string): Open | undefined {
    const open = this.#open.get(item)
    this.#open.delete(item)
    if (item === '') return open
    this.#ended.add(item)
    const [oldest] = this.#ended
    if (this.#ended.size > ENDED_MAX && oldest !== undefined) this.#ended.delete(oldest)
    return open
  }

  /** Undefined when nothing more will be written down; throws a refusal where too much is at once. */
  async #openAt(item: string, { model, audioTokens }: Hearing): Promise<Open | undefined> {
    const known = this.#open.get(item)
    if (known !== undefined) return known
    if (this.#open.size >= OPEN_MAX) throw tooMuchAtOnce()
    const open = await this.#reserve(model, audioTokens)
    // It may have been closed in the meantime.
    if (this.#closedBy !== null) {
      await this.#void(open, this.#closedBy)
      return undefined
    }
    this.#open.set(item, open)
    return open
  }

  /** Whether what was said is paid for; holds more where it was not. */
  async #cover({ reserved, audioTokens, isWhole }: Open): Promise<boolean> {
    const { terms, authorization } = reserved
    const { hold } = authorization
    const { least } = transcriptAmount(terms, audioTokens)
    if (hold.amount >= least) return true
    await raiseIfPossible(hold, transcriptAmount(terms, audioTokens + (isWhole ? 0 : AHEAD_TOKENS)))
    return hold.amount >= least
  }

  #routeTo(model: string): Route {
    return { ...this.#access.route, targets: [{ ...this.#target, upstreamModel: model }] }
  }

  async #reserve(model: string, audioTokens: number): Promise<Open> {
    const reserved = await authorizeAt(this.#deps, this.#access, {
      model,
      route: this.#routeTo(model),
      amountOf: (terms) => transcriptAmount(terms, audioTokens),
      promptTokens: 0,
      attempts: [attemptIn(this.#target)],
    })
    return { reserved, model, audioTokens, isWhole: false, text: '' }
  }
}

const tooMuchAtOnce = () =>
  new Refusal({
    status: 429,
    code: 'too_many_transcripts',
    message: `At most ${OPEN_MAX} items are written down at once.`,
  })

/** Some models are paid by the token, others by the second. */
export function transcriptAmount({ targets, groupRatio }: Terms, audioTokens: number) {
  const most = targets.reduce((dearest, { price }) => {
    const outputTokens = Math.max(TOKENS_LEAST, audioTokens)
    const byTokens = worstCase({
      promptTokens: audioTokens + TOKENS_LEAST,
      outputTokens,
      choices: 1,
      price,
      groupRatio,
    })
    return Math.max(dearest, byTokens, costOf(bySeconds(audioTokens), price, groupRatio))
  }, 0)
  return { least: most, most }
}

const bySeconds = (audioTokens: number) =>
  usageOfPieces({ unit: 'second', count: Math.ceil(audioTokens / TOKENS_PER_SECOND) })

/** A provider may hear a little more than was said: what is padded, and what is rounded up. */
const HEARD_FACTOR = 1.25
const SECONDS_SLACK = 2

/** What is reported of an item; null for nothing, or nothing that makes sense. */
function readUsage(usage: unknown): Usage | null {
  if (member(usage, 'type') !== 'duration') return parseUsage(usage)
  const seconds = member(usage, 'seconds')
  const isLength = typeof seconds === 'number' && seconds >= 0 && seconds <= SECONDS_MAX
  return isLength ? usageOfPieces({ unit: 'second', count: Math.ceil(seconds) }) : null
}

/** Whether a report can be of an item with so much audio. */
function isPlausible(usage: Usage, audioTokens: number): boolean {
  const heard = HEARD_FACTOR * audioTokens
  const { measured } = usage
  if (measured !== undefined) {
    return measured.count <= Math.ceil(heard / TOKENS_PER_SECOND) + SECONDS_SLACK
  }
  return isWithin(usage, {
    promptTokens: promptMost(heard),
    writtenTokens: writtenMost(audioTokens),
    beyondLimit: NOTHING_BEYOND,
    reasons: () => false,
    has: () => true,
  })
}

/** Paid by the second, whatever is written down. */
const isWhisper = (model: string) => model.includes('whisper')

async function meterItem(open: Open, json: RealtimeEvent['json']): Promise<Metered> {
  const usage = readUsage(member(json, 'usage'))
  if (usage !== null && isPlausible(usage, open.audioTokens)) return { source: 'reported', usage }
  const counted = await count(open, textOf(member(json, 'transcript')))
  return usage === null ? counted : { ...counted, source: 'overruled', overruled: usage }
}

async function count({ reserved, model, audioTokens }: Open, transcript: string): Promise<Metered> {
  if (isWhisper(model)) return { source: 'counted', usage: bySeconds(audioTokens) }
  const counting = countingOf(reserved.terms.options, { model, user: reserved.user })
  const text = await countOutput({ text: transcript, tokensBeyond: 0 }, counting)
  const usage = usageOfTokens({ text: 0, audio: audioTokens, image: 0 }, { text, audio: 0 })
  return { source: counting.source(), usage }
}
