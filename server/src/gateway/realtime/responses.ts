import { randomUUID } from 'node:crypto'
import { END_REASON, type EndReason } from '@tollgate/contract'
import {
  type PromptAddition,
  promptAddition,
  appendedBytes,
  Conversation,
  inputAudioTokens,
  INITIAL_SETTINGS,
  isRecord,
  member,
  outputLimitOf,
  readSettings,
  type RealtimeEvent,
  responseIdOf,
  type OutputDelta,
  type SessionSettings,
  audioAllowed,
  textOf,
  type Tokens,
} from '@tollgate/relay'
import type { PricedTarget } from '../billing/terms.ts'
import { routeTo } from '../routing/route.ts'
import { PrefundedResponses } from './prefunded-responses.ts'
import { RecentIds } from './recent-ids.ts'
import type { Forecast } from './response-amount.ts'
import {
  type ResponseRequest,
  cancelResponse,
  GATEWAY_EVENT_PREFIX,
  tooManyPending,
  UNREQUESTED,
} from './response-request.ts'
import { RunningResponse } from './running-response.ts'
import type { AuthorizedRequest, RealtimeDeps, SessionAccess } from './session-access.ts'
import { orRefund } from './session-access.ts'
import { Transcripts } from './transcripts.ts'

type ResponsesParts = {
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
  readonly #endedIds = new RecentIds(ENDED_MAX)
  readonly #prefunded: PrefundedResponses
  #pending: ResponseRequest[] = []
  /** The user began to speak during a response, so another response may follow. */
  #isInterrupted = false
  /** A hold was taken for an answer to speech, which no client event requests. */
  #isAnswerExpected = false
  /** When the speech ended that the provider answers by itself; null if no answer is due. */
  #answerDueAt: number | null = null
  #closedBy: { readonly endReason: EndReason; readonly message: string } | null = null

  constructor(deps: RealtimeDeps, { access, target, first }: ResponsesParts) {
    this.#deps = deps
    this.#target = target
    this.#access = { ...access, route: routeTo(access.route, target) }
    this.#prefunded = new PrefundedResponses(deps, this.#access, { target, first })
    this.#transcripts = new Transcripts(deps, this.#access, { target, first })
  }

  get running(): number {
    return this.#running.size + this.#transcripts.count
  }

  /** Responses the provider has not begun yet but will bill. */
  get due(): number {
    return this.#pending.length + (this.#answerDueAt === null ? 0 : 1)
  }

  get isAnswering(): boolean {
    return this.#running.size > 0
  }

  admitTranscription(model: string): Promise<void> {
    return this.#transcripts.requireUsableModel(model)
  }

  onClientEvent({ type, json }: RealtimeEvent) {
    if (type === 'input_audio_buffer.append') {
      const bytes = appendedBytes({ type, json })
      this.#conversation.appendAudio(inputAudioTokens(bytes, this.#settings.inputBytesPerSecond))
    } else if (type === 'conversation.item.create') this.#add(member(json, 'item'))
  }

  /** Takes the hold for a response and returns the event to send. Throws a refusal. */
  async request(event: RealtimeEvent): Promise<string> {
    if (this.#pending.length >= this.#deps.limits.realtime.pendingResponsesMax)
      throw tooManyPending()
    const given = member(event.json, 'event_id')
    const eventId = typeof given === 'string' ? given : GATEWAY_EVENT_PREFIX + randomUUID()
    const request = this.#readRequest(member(event.json, 'response'), eventId)
    const others = this.#pending.length
    this.#pending = [...this.#pending, request]
    // This request may reuse the hold of an answer that has not come.
    this.#isAnswerExpected = false
    this.#answerDueAt = null
    try {
      await this.#prefunded.ensureHoldAfter(others, this.#forecast(request))
    } catch (error) {
      this.#dropPending(eventId)
      throw error
    }
    return JSON.stringify({ ...event.json, event_id: eventId })
  }

  addOutput(id: string, output: OutputDelta): true | Promise<boolean> {
    return this.#running.get(id)?.addOutput(output) ?? true
  }

  /**
   * Returns false if a response began that cannot be paid. Throws a refusal if the session must not
   * continue.
   */
  async onProviderEvent(event: RealtimeEvent, endReason?: EndReason): Promise<boolean> {
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
          audioTokens: this.#conversation.appendedTokens,
        })
        return true
      case `${TRANSCRIPT}.delta`:
        return this.#transcripts.addDelta(event, {
          model: this.#settings.transcriptionModel ?? this.#access.model,
          audioTokens: this.#conversation.pending,
        })
      case `${TRANSCRIPT}.failed`:
        await this.#transcripts.fail(event)
        return true
      case 'response.created':
        return endReason !== undefined || this.#begin(event)
      case 'response.done':
        return this.#onDone(event, endReason)
      case 'conversation.item.done':
        this.#addTools(member(json, 'item'))
        return true
      case 'error':
        this.#dropPending(member(member(json, 'error'), 'event_id'))
        return true
      default:
        return true
    }
  }

  cancellations(): string[] {
    return [...this.#running.keys()].map(cancelResponse)
  }

  /**
   * Settles everything: delivered output is charged, the rest is voided. `hadTimeToReport`: the
   * provider had time to begin due responses and to report running ones.
   */
  async close(endReason: EndReason, message: string, hadTimeToReport: boolean): Promise<void> {
    this.#closedBy = { endReason, message }
    const running = [...this.#running.values()]
    this.#running.clear()
    const isDisconnected = endReason === END_REASON.clientLeft && !hadTimeToReport
    const due = isDisconnected ? await this.#beginDue() : []
    const ends = [
      ...[...running, ...due].map((response) => response.interrupt(endReason, message)),
      ...this.#prefunded.close(endReason),
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
    const due = this.#pending
    this.#pending = []
    if (this.#answerDueAt !== null) due.push({ ...UNREQUESTED, requestedAt: this.#answerDueAt })
    this.#answerDueAt = null
    const started: RunningResponse[] = []
    for (const request of due) {
      const forecast = this.#forecast(request)
      const authorized = this.#prefunded.takeHeld(forecast)
      if (authorized === undefined) break
      const start = { forecast, startedAt: request.requestedAt }
      const open = () => this.#open(authorized, request, start)
      const { response } = await orRefund(this.#deps, authorized, open)
      started.push(response)
    }
    return started
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

  #readRequest(terms: unknown, eventId: string): ResponseRequest {
    const requestedAt = this.#deps.clock.now()
    if (!isRecord(terms)) return { ...UNREQUESTED, eventId, requestedAt }
    const addition = promptAddition(terms, () => JSON.stringify(terms).length)
    const isPlain = !['instructions', 'input', 'tools', 'prompt', 'conversation'].some((name) =>
      Object.hasOwn(terms, name),
    )
    return {
      eventId,
      requestedAt,
      isPlain,
      extra: { text: addition.text, tokens: this.#tokensOf(addition) },
      outputLimit: outputLimitOf(terms),
    }
  }

  #dropPending(eventId: unknown) {
    this.#pending = this.#pending.filter((request) => request.eventId !== eventId)
  }

  #tokensOf({ textBytes, audioBytes, images }: PromptAddition): Tokens {
    const conversation = new Conversation()
    const audioTokens = inputAudioTokens(audioBytes, this.#settings.inputBytesPerSecond)
    conversation.add({ ...NOTHING, textBytes, images }, audioTokens)
    return conversation.upperBound()
  }

  #add(item: unknown) {
    if (!isRecord(item)) return
    const addition = promptAddition(item, () => JSON.stringify(item).length)
    const { audioBytes } = addition
    this.#conversation.add(
      addition,
      inputAudioTokens(audioBytes, this.#settings.inputBytesPerSecond),
    )
  }

  /** MCP tool output enters the prompt without passing the client. */
  #addTools(item: unknown) {
    if (textOf(member(item, 'type')).startsWith('mcp_')) this.#add(item)
  }

  #forecast(
    { extra, outputLimit }: ResponseRequest,
    mayBeAudio = this.#settings.allowsAudio,
  ): Forecast {
    const known = this.#conversation.upperBound()
    const { text, audio, image } = extra.tokens
    return {
      prompt: { text: known.text + text, audio: known.audio + audio, image: known.image + image },
      reportedText: this.#conversation.reportedText,
      mayBeAudio,
      outputLimit: outputLimit ?? this.#settings.outputLimit,
    }
  }

  /** A provider that answers speech does so without a request, so the hold is taken in advance. */
  async #expectAnswer() {
    if (this.#access.isTranscription || !this.#settings.respondsAutomatically) return
    if (this.#running.size > 0) {
      this.#isInterrupted = true
      return
    }
    await this.#prefunded.ensureHoldAfter(this.#pending.length, this.#forecast(UNREQUESTED))
    this.#isAnswerExpected = true
  }

  async #commit(item: string): Promise<boolean> {
    const audioTokens = this.#conversation.commit()
    if (this.#isAnswerExpected) this.#answerDueAt = this.#deps.clock.now()
    const model = this.#settings.transcriptionModel
    return model === null || this.#transcripts.begin(item, { model, audioTokens })
  }

  async #begin(event: RealtimeEvent): Promise<boolean> {
    const id = responseIdOf(event)
    if (this.#running.has(id) || this.#endedIds.has(id)) return true
    const terms = member(event.json, 'response')
    const outputLimit = outputLimitOf(terms) ?? this.#maxOutputLimit()
    const [first, ...others] = this.#pending
    this.#pending = others
    const request = { ...(first ?? UNREQUESTED), outputLimit }
    const forecast = this.#forecast(request, audioAllowed(terms) ?? this.#settings.allowsAudio)
    // Some providers respond by themselves after a long silence.
    const isUnexpected = first === undefined && !this.#isAnswerExpected
    if (isUnexpected) await this.#prefunded.ensureHoldAfter(0, forecast)
    if (first === undefined) {
      this.#isAnswerExpected = false
      this.#answerDueAt = null
    }
    const authorized = await this.#prefunded.take(forecast)
    if (authorized === undefined) return false
    const begin = () => this.#beginWith(authorized, { id, request, forecast })
    return orRefund(this.#deps, authorized, begin)
  }

  /**
   * Output limit of a response that states none: it may be any awaited response or an answer to
   * speech.
   */
  #maxOutputLimit(): number {
    const { respondsAutomatically: answersSpeech, outputLimit } = this.#settings
    const pendingLimits = this.#pending.map((pending) => pending.outputLimit ?? outputLimit)
    if (answersSpeech) pendingLimits.push(outputLimit)
    return Math.max(...(pendingLimits.length === 0 ? [outputLimit] : pendingLimits))
  }

  async #beginWith(
    authorized: AuthorizedRequest,
    { id, request, forecast }: { id: string; request: ResponseRequest; forecast: Forecast },
  ): Promise<boolean> {
    const startedAt = this.#deps.clock.now()
    const { response, isPaid } = await this.#open(authorized, request, { forecast, startedAt })
    if (this.#closedBy !== null) {
      await response.interrupt(this.#closedBy.endReason, this.#closedBy.message)
      return false
    }
    this.#running.set(id, response)
    return isPaid
  }

  #open(
    authorized: AuthorizedRequest,
    { isPlain, extra }: ResponseRequest,
    start: { forecast: Forecast; startedAt: number },
  ) {
    const target = authorized.terms.targets.find(({ id }) => id === this.#target.id) ?? this.#target
    const conversation = this.#conversation
    const { outputBytesPerSecond } = this.#settings
    const about = { authorized, target, conversation, isPlain, extra, outputBytesPerSecond }
    return RunningResponse.begin(this.#deps, { ...about, ...start })
  }

  async #onDone(
    event: RealtimeEvent,
    endReason: EndReason = END_REASON.finished,
  ): Promise<boolean> {
    const id = responseIdOf(event)
    // Responses that were cut off are already charged or about to be.
    if (this.#closedBy !== null) return false
    if (!this.#running.has(id) && !(await this.#begin(event))) return false
    const running = this.#running.get(id)
    if (running === undefined) return true
    this.#running.delete(id)
    this.#endedIds.add(id)
    const response = member(event.json, 'response')
    const usage = member(response, 'usage')
    await running.end({ status: textOf(member(response, 'status')), usage }, endReason)
    if (running.isPlain) this.#conversation.applyUsage(running.mark, usage)
    const { text, textBytes, audioBytes } = running.output
    const audioTokens = inputAudioTokens(audioBytes, this.#settings.outputBytesPerSecond)
    this.#conversation.add({ ...NOTHING, text, textBytes }, audioTokens)
    if (this.#isInterrupted) {
      this.#isInterrupted = false
      if (endReason === END_REASON.finished) await this.#expectAnswer()
    }
    return true
  }
}

const NOTHING: PromptAddition = { text: '', textBytes: 0, audioBytes: 0, images: 0 }

const msOf = (value: unknown): number | null =>
  typeof value === 'number' && value >= 0 && Number.isFinite(value) ? value : null
