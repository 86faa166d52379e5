import { randomUUID } from 'node:crypto'
import { END_REASON, type EndReason } from '@tollgate/contract'
import {
  type Addition,
  additionOf,
  appendedBytes,
  Conversation,
  heardTokens,
  INITIAL_SETTINGS,
  isRecord,
  member,
  outputLimitOf,
  readSettings,
  type RealtimeEvent,
  responseIdOf,
  type Said,
  type SessionSettings,
  speaksIn,
  textOf,
  type Tokens,
} from '@tollgate/relay'
import type { PricedTarget } from '../billing/terms.ts'
import type { Forecast } from './amounts.ts'
import { type Asked, cancelResponse, OWN_EVENT, tooManyAsked, UNASKED } from './asked.ts'
import { PrefundedResponses } from './prefunded-responses.ts'
import { RunningResponse } from './running-response.ts'
import {
  orGiveBack,
  type RealtimeDeps,
  type AuthorizedRequest,
  type SessionAccess,
} from './session-access.ts'
import { Transcripts } from './transcripts.ts'

type Parts = {
  readonly access: SessionAccess
  readonly target: PricedTarget
  readonly first: AuthorizedRequest
}

/** Remembered ids of ended responses, so that a repeated report is charged once. */
const ENDED_MAX = 256
const TRANSCRIPT = 'conversation.item.input_audio_transcription'

export class Responses {
  readonly #deps: RealtimeDeps
  readonly #access: SessionAccess
  readonly #target: PricedTarget
  readonly #transcripts: Transcripts
  readonly #conversation = new Conversation()
  #settings: SessionSettings = INITIAL_SETTINGS
  readonly #running = new Map<string, RunningResponse>()
  readonly #endedIds = new Set<string>()
  readonly #prepared: PrefundedResponses
  #awaited: Asked[] = []
  /** The user began to speak during a response, so another response may follow. */
  #isInterrupted = false
  /** A hold was taken for an answer to speech, which no client event requests. */
  #isAnswerExpected = false
  /** When the speech ended that the provider answers by itself; null if no answer is due. */
  #answerDueAt: number | null = null
  #closedBy: { readonly endReason: EndReason; readonly message: string } | null = null

  constructor(deps: RealtimeDeps, { access, target, first }: Parts) {
    this.#deps = deps
    this.#target = target
    this.#access = { ...access, route: { ...access.route, targets: [target] } }
    this.#prepared = new PrefundedResponses(deps, this.#access, { target, first })
    this.#transcripts = new Transcripts(deps, this.#access, target)
  }

  get running(): number {
    return this.#running.size + this.#transcripts.count
  }

  /** Responses the provider has not begun yet but will bill. */
  get due(): number {
    return this.#awaited.length + (this.#answerDueAt === null ? 0 : 1)
  }

  get isAnswering(): boolean {
    return this.#running.size > 0
  }

  admitTranscription(model: string): Promise<void> {
    return this.#transcripts.admit(model)
  }

  heardFromClient({ type, json }: RealtimeEvent) {
    if (type === 'input_audio_buffer.append') {
      const bytes = appendedBytes({ type, json })
      this.#conversation.hear(heardTokens(bytes, this.#settings.inputBytesPerSecond))
    } else if (type === 'conversation.item.create') this.#add(member(json, 'item'))
  }

  /** Takes the hold for a response and returns the event to send. Throws a refusal. */
  async ask(event: RealtimeEvent): Promise<string> {
    if (this.#awaited.length >= this.#deps.limits.realtime.awaitedMax) throw tooManyAsked()
    const given = member(event.json, 'event_id')
    const eventId = typeof given === 'string' ? given : OWN_EVENT + randomUUID()
    const asked = this.#readAsked(member(event.json, 'response'), eventId)
    const others = this.#awaited.length
    this.#awaited = [...this.#awaited, asked]
    // This request may reuse the hold of an answer that has not come.
    this.#isAnswerExpected = false
    this.#answerDueAt = null
    try {
      await this.#prepared.holdBeside(others, this.#forecast(asked))
    } catch (error) {
      this.#forgetAsked(eventId)
      throw error
    }
    return JSON.stringify({ ...event.json, event_id: eventId })
  }

  says(id: string, said: Said): true | Promise<boolean> {
    return this.#running.get(id)?.says(said) ?? true
  }

  /**
   * Returns false if a response began that cannot be paid. Throws a refusal if the session must not
   * continue.
   */
  async heardFromProvider(event: RealtimeEvent, endReason?: EndReason): Promise<boolean> {
    const { type, json } = event
    switch (type) {
      case 'session.created':
      case 'session.updated':
      case 'transcription_session.created':
      case 'transcription_session.updated':
        this.#useSettings(readSettings(member(json, 'session')))
        return true
      case 'input_audio_buffer.cleared':
        this.#conversation.clear()
        return true
      case 'input_audio_buffer.speech_started':
        this.#conversation.speechStarted(msOf(member(json, 'audio_start_ms')))
        await this.#expectAnswer()
        return true
      case 'input_audio_buffer.speech_stopped':
        this.#conversation.speechStopped(msOf(member(json, 'audio_end_ms')))
        return true
      case 'input_audio_buffer.committed':
        return this.#commit(textOf(member(json, 'item_id')))
      case `${TRANSCRIPT}.completed`:
        await this.#transcripts.end(event, {
          model: this.#settings.transcriptionModel ?? this.#access.model,
          audioTokens: this.#conversation.heard,
        })
        return true
      case `${TRANSCRIPT}.delta`:
        return this.#transcripts.hear(event, {
          model: this.#settings.transcriptionModel ?? this.#access.model,
          audioTokens: this.#conversation.pending,
        })
      case `${TRANSCRIPT}.failed`:
        await this.#transcripts.fail(event)
        return true
      case 'response.created':
        return endReason !== undefined || this.#begin(event)
      case 'response.done':
        return this.#done(event, endReason)
      case 'conversation.item.done':
        this.#addTools(member(json, 'item'))
        return true
      case 'error':
        this.#forgetAsked(member(member(json, 'error'), 'event_id'))
        return true
      default:
        return true
    }
  }

  cancellations(): string[] {
    return [...this.#running.keys()].map(cancelResponse)
  }

  /**
   * Settles everything: delivered output is charged, the rest is refunded. `isHeard`: the provider
   * had time to begin due responses and to report running ones.
   */
  async close(endReason: EndReason, message: string, isHeard: boolean): Promise<void> {
    this.#closedBy = { endReason, message }
    const running = [...this.#running.values()]
    this.#running.clear()
    const isLeft = endReason === END_REASON.clientLeft && !isHeard
    const due = isLeft ? await this.#beginDue() : []
    const ends = [
      ...[...running, ...due].map((response) => response.breakOff(endReason, message)),
      ...this.#prepared.close(endReason),
      ...this.#transcripts.close(endReason),
    ]
    const failed = (await Promise.allSettled(ends)).find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
  }

  /**
   * Charges responses that were requested before the client disconnected: the provider reads their
   * prompts even if it reports nothing.
   */
  async #beginDue(): Promise<RunningResponse[]> {
    const due = this.#awaited
    this.#awaited = []
    if (this.#answerDueAt !== null) due.push({ ...UNASKED, askedAt: this.#answerDueAt })
    this.#answerDueAt = null
    const begun: RunningResponse[] = []
    for (const asked of due) {
      const forecast = this.#forecast(asked)
      const reserved = this.#prepared.takeHeld(forecast)
      if (reserved === undefined) break
      const { askedAt: startedAt } = asked
      const { response } = await orGiveBack(this.#deps, reserved, () =>
        this.#open(reserved, { asked, forecast, startedAt }),
      )
      begun.push(response)
    }
    return begun
  }

  /**
   * Changed instructions are added to the old ones until the next usage report gives the true size.
   */
  #useSettings(settings: SessionSettings) {
    const { instructions } = settings
    if (instructions !== this.#settings.instructions) {
      const textBytes = Buffer.byteLength(instructions)
      this.#conversation.add({ ...NOTHING, text: instructions, textBytes }, 0)
    }
    this.#settings = settings
  }

  #readAsked(terms: unknown, eventId: string): Asked {
    const askedAt = this.#deps.now()
    if (!isRecord(terms)) return { ...UNASKED, eventId, askedAt }
    const addition = additionOf(terms, () => JSON.stringify(terms).length)
    const isPlain = !['instructions', 'input', 'tools', 'prompt', 'conversation'].some((name) =>
      Object.hasOwn(terms, name),
    )
    return {
      eventId,
      askedAt,
      isPlain,
      extra: { text: addition.text, tokens: this.#tokensOf(addition) },
      outputLimit: outputLimitOf(terms),
    }
  }

  #forgetAsked(eventId: unknown) {
    this.#awaited = this.#awaited.filter((asked) => asked.eventId !== eventId)
  }

  #tokensOf({ textBytes, audioBytes, images }: Addition): Tokens {
    const conversation = new Conversation()
    const audioTokens = heardTokens(audioBytes, this.#settings.inputBytesPerSecond)
    conversation.add({ ...NOTHING, textBytes, images }, audioTokens)
    return conversation.most()
  }

  #add(item: unknown) {
    if (!isRecord(item)) return
    const addition = additionOf(item, () => JSON.stringify(item).length)
    const { audioBytes } = addition
    this.#conversation.add(addition, heardTokens(audioBytes, this.#settings.inputBytesPerSecond))
  }

  /** MCP tool output enters the prompt without passing the client. */
  #addTools(item: unknown) {
    if (textOf(member(item, 'type')).startsWith('mcp_')) this.#add(item)
  }

  #forecast({ extra, outputLimit }: Asked, speaks = this.#settings.speaks): Forecast {
    const known = this.#conversation.most()
    const { text, audio, image } = extra.tokens
    return {
      prompt: { text: known.text + text, audio: known.audio + audio, image: known.image + image },
      reportedText: this.#conversation.reportedText,
      speaks,
      outputLimit: outputLimit ?? this.#settings.outputLimit,
    }
  }

  /** A provider that answers speech does so without a request, so the hold is taken in advance. */
  async #expectAnswer() {
    if (this.#access.isTranscription || !this.#settings.answersSpeech) return
    if (this.#running.size > 0) {
      this.#isInterrupted = true
      return
    }
    await this.#prepared.holdBeside(this.#awaited.length, this.#forecast(UNASKED))
    this.#isAnswerExpected = true
  }

  async #commit(item: string): Promise<boolean> {
    const audioTokens = this.#conversation.commit()
    if (this.#isAnswerExpected) this.#answerDueAt = this.#deps.now()
    const model = this.#settings.transcriptionModel
    return model === null || this.#transcripts.begin(item, { model, audioTokens })
  }

  async #begin(event: RealtimeEvent): Promise<boolean> {
    const id = responseIdOf(event)
    if (this.#running.has(id) || this.#endedIds.has(id)) return true
    const terms = member(event.json, 'response')
    const outputLimit = outputLimitOf(terms) ?? this.#limitMost()
    const [first, ...others] = this.#awaited
    this.#awaited = others
    const asked = { ...(first ?? UNASKED), outputLimit }
    const forecast = this.#forecast(asked, speaksIn(terms) ?? this.#settings.speaks)
    // Some providers respond by themselves after a long silence.
    const isUnexpected = first === undefined && !this.#isAnswerExpected
    if (isUnexpected) await this.#prepared.holdBeside(0, forecast)
    if (first === undefined) {
      this.#isAnswerExpected = false
      this.#answerDueAt = null
    }
    const reserved = await this.#prepared.take(forecast)
    if (reserved === undefined) return false
    return orGiveBack(this.#deps, reserved, () =>
      this.#beginWith(reserved, { id, asked, forecast }),
    )
  }

  /**
   * Output limit of a response that states none: it may be any awaited response or an answer to
   * speech.
   */
  #limitMost(): number {
    const { answersSpeech, outputLimit } = this.#settings
    const asked = this.#awaited.map((one) => one.outputLimit ?? outputLimit)
    return answersSpeech || asked.length === 0
      ? Math.max(outputLimit, ...asked)
      : Math.max(...asked)
  }

  async #beginWith(
    reserved: AuthorizedRequest,
    { id, asked, forecast }: { id: string; asked: Asked; forecast: Forecast },
  ): Promise<boolean> {
    const startedAt = this.#deps.now()
    const { response, isPaid } = await this.#open(reserved, { asked, forecast, startedAt })
    if (this.#closedBy !== null) {
      await response.breakOff(this.#closedBy.endReason, this.#closedBy.message)
      return false
    }
    this.#running.set(id, response)
    return isPaid
  }

  #open(
    reserved: AuthorizedRequest,
    { asked, forecast, startedAt }: { asked: Asked; forecast: Forecast; startedAt: number },
  ) {
    const target = reserved.terms.targets.find(({ id }) => id === this.#target.id)
    return RunningResponse.begin(this.#deps, {
      reserved,
      target: target ?? this.#target,
      conversation: this.#conversation,
      forecast,
      startedAt,
      isPlain: asked.isPlain,
      extra: asked.extra,
      outputBytesPerSecond: this.#settings.outputBytesPerSecond,
    })
  }

  async #done(event: RealtimeEvent, endReason: EndReason = END_REASON.finished): Promise<boolean> {
    const id = responseIdOf(event)
    // Responses that were cut off are already charged or about to be.
    if (this.#closedBy !== null) return false
    if (!this.#running.has(id) && !(await this.#begin(event))) return false
    const running = this.#running.get(id)
    if (running === undefined) return true
    this.#running.delete(id)
    this.#remember(id)
    const response = member(event.json, 'response')
    const usage = member(response, 'usage')
    await running.end({ status: textOf(member(response, 'status')), usage }, endReason)
    if (running.isPlain) this.#conversation.learn(running.mark, usage)
    const { text, textBytes, audioBytes } = running.said
    const audioTokens = heardTokens(audioBytes, this.#settings.outputBytesPerSecond)
    this.#conversation.add({ ...NOTHING, text, textBytes }, audioTokens)
    if (this.#isInterrupted) {
      this.#isInterrupted = false
      if (endReason === END_REASON.finished) await this.#expectAnswer()
    }
    return true
  }

  #remember(id: string) {
    if (id === '') return
    this.#endedIds.add(id)
    const [oldest] = this.#endedIds
    if (this.#endedIds.size > ENDED_MAX && oldest !== undefined) this.#endedIds.delete(oldest)
  }
}

const NOTHING: Addition = { text: '', textBytes: 0, audioBytes: 0, images: 0 }

const msOf = (value: unknown): number | null =>
  typeof value === 'number' && value >= 0 && Number.isFinite(value) ? value : null
