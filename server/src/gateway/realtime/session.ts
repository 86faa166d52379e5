/*
 * A session relays events unchanged between a client and its provider and reads those that affect
 * billing. Each response is a request of its own: its hold is taken before it begins, metered while
 * it streams, and settled before its end is forwarded. Frames of one side are processed strictly in
 * order, so nothing overtakes a pending hold or a pending charge.
 */
import type { Logger } from 'pino'
import { END_REASON, type EndReason } from '@tollgate/contract'
import {
  type AskedWith,
  type ClientEvent,
  finish,
  isRecord,
  isRequestProblem,
  isTooLarge,
  member,
  problemFromTransport,
  readClientEvent,
  readEvent,
  type RealtimeEvent,
  type RequestProblem,
  responseIdOf,
  saidBy,
  type Steps,
  type UpstreamProblem,
} from '@tollgate/relay'
import { scheduler } from '../../scheduler/fair-scheduler.ts'
import type { FrameSocket } from '../../upstream/frame-socket.ts'
import type { PricedTarget } from '../billing/terms.ts'
import { Refusal } from '../errors.ts'
import type { Admission } from '../rate-limits/admission.ts'
import { cancelResponse } from './asked.ts'
import { type EventError, errorEvent, retold } from './error-event.ts'
import { forClient, isForClient } from './redact-event.ts'
import { Responses } from './responses.ts'
import type { RealtimeDeps, AuthorizedRequest, SessionAccess } from './session-access.ts'
import { answering, DATABASE_AWAY, endReasonOf, own, USED_UP } from './session-errors.ts'

export type SessionParts = {
  readonly access: SessionAccess
  readonly user: number
  readonly client: FrameSocket
  readonly provider: FrameSocket
  readonly target: PricedTarget
  readonly askedWith: AskedWith
  readonly first: AuthorizedRequest
  /** The concurrency place of the session. */
  readonly admission: Admission
  readonly log: Logger
}

type Ending = {
  readonly endReason: EndReason
  readonly closeCode: number
  readonly error?: EventError | undefined
  /** How long to wait for the usage reports of cancelled responses. */
  readonly waitMs: number
}

/** RFC 6455, 7.4.1; 1005 means that the close frame had no code. */
const CLOSE = { normal: 1000, goingAway: 1001, unsupported: 1003, policy: 1008, internal: 1011 }
const REGULAR_CLOSES = new Set([CLOSE.normal, CLOSE.goingAway, 1005])
const TOO_MANY = 429
const AWAY = 503

export class Session {
  readonly ended: Promise<void>
  readonly #deps: RealtimeDeps
  readonly #parts: SessionParts
  readonly #responses: Responses
  readonly #resolve: () => void
  readonly #length: NodeJS.Timeout
  readonly #idle: NodeJS.Timeout
  #ending: Ending | null = null
  #onQuiet: (() => void) | null = null
  #refusedCount = 0
  #isStopping = false

  constructor(deps: RealtimeDeps, parts: SessionParts) {
    this.#deps = deps
    this.#parts = parts
    this.#responses = new Responses(deps, parts)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.ended = promise
    this.#resolve = resolve
    const { sessionMs, idleMs } = deps.limits.realtime
    this.#length = setTimeout(
      () => this.#expire('The session has reached its maximum duration.'),
      sessionMs,
    )
    this.#idle = setTimeout(() => this.#expire('The session was idle for too long.'), idleMs)
    const failed = (error: unknown) => this.#fail(error)
    parts.client.read({
      frame: (text) => this.#fromClient(text),
      closed: () => this.#clientLeft(),
      failed,
    })
    parts.provider.read({
      frame: (text) => this.#fromProvider(text),
      closed: (code) => this.#providerLeft(code),
      failed,
    })
  }

  /** Lets running responses finish for up to `stopMs`. */
  stop() {
    this.#isStopping = true
    if (this.#responses.running === 0) return this.#stopNow()
    setTimeout(() => this.#stopNow(), this.#deps.limits.realtime.stopMs).unref()
  }

  #stopNow() {
    const error = own('shutting_down', 'The gateway is restarting. Open the session again.')
    this.#end({
      endReason: END_REASON.interrupted,
      closeCode: CLOSE.goingAway,
      error,
      waitMs: this.#deps.limits.realtime.reportMs,
    })
  }

  #expire(message: string) {
    this.#end({
      endReason: END_REASON.deadline,
      closeCode: CLOSE.goingAway,
      error: own('session_expired', message),
      waitMs: this.#deps.limits.realtime.reportMs,
    })
  }

  #fromClient(text: Buffer | null): void | Promise<void> {
    if (this.#ending !== null) return undefined
    this.#idle.refresh()
    if (text === null) {
      const error = own('binary_frame', 'Events must be text frames that contain JSON.')
      return this.#end({ ...this.#misbehaved(), closeCode: CLOSE.unsupported, error })
    }
    const reading = this.#inTurn(readClientEvent(text, this.#parts.access.model), text)
    return reading instanceof Promise
      ? reading.then((event) => this.#hearClient(event, text))
      : this.#hearClient(reading, text)
  }

  #hearClient(event: ClientEvent | RequestProblem, text: Buffer): void | Promise<void> {
    if (this.#ending !== null) return undefined
    if (isRequestProblem(event)) return this.#refuseEvent(event, idOf(finish(readEvent(text))))
    const error = this.#parts.access.isTranscription ? answering(event) : null
    if (error !== null) return this.#refuseEvent(error, idOf(event))
    if (event.transcriptionModel !== null) {
      return this.#askForTranscripts(event, event.transcriptionModel)
    }
    if (event.type === 'response.create') return this.#askForResponse(event)
    this.#responses.heardFromClient(event)
    return this.#parts.provider.send(event.frame)
  }

  /** Large events are scheduled fairly with all other work. */
  #inTurn<Result>(steps: Steps<Result>, { length }: Buffer): Result | Promise<Result> {
    return scheduler.runSized(this.#parts.first.user, steps, length)
  }

  /** Reports a refused event; the session continues unless too many were refused. */
  #refuseEvent(error: RequestProblem, eventId: string | null): void | Promise<void> {
    this.#refusedCount += 1
    const isTooBad = this.#refusedCount > this.#deps.limits.realtime.refusedEventsMax
    if (isTooBad) return this.#end({ ...this.#misbehaved(), closeCode: CLOSE.policy, error })
    return this.#tell(error, eventId)
  }

  #misbehaved() {
    const { reportMs: waitMs } = this.#deps.limits.realtime
    return { endReason: END_REASON.clientLeft, waitMs }
  }

  #tell(error: EventError, eventId: string | null = null): Promise<void> | undefined {
    const { requestId } = this.#parts.first
    return this.#parts.client.send(errorEvent(error, { requestId, eventId }))
  }

  async #askForTranscripts(event: ClientEvent, model: string): Promise<void> {
    try {
      await this.#responses.admitTranscription(model)
      await this.#parts.provider.send(event.frame)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      await this.#tell(error, idOf(event))
    }
  }

  async #askForResponse(event: RealtimeEvent): Promise<void> {
    if (this.#isStopping)
      return this.#tell(own('shutting_down', 'The gateway is restarting.'), idOf(event))
    try {
      const frame = await this.#responses.ask(event)
      if (this.#ending === null) await this.#parts.provider.send(frame)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      // A concurrency limit or a database outage may pass within moments.
      const isPassing = error.status === TOO_MANY || error.status === AWAY
      if (isPassing) return this.#tell(error, idOf(event))
      this.#refuse(error)
    }
  }

  get #unpaid(): EventError {
    return this.#deps.ledger.isAway() ? DATABASE_AWAY : USED_UP
  }

  #refuse(error: EventError) {
    this.#end({
      endReason: endReasonOf(error),
      closeCode: CLOSE.policy,
      error,
      waitMs: this.#deps.limits.realtime.reportMs,
    })
  }

  #fromProvider(text: Buffer | null): void | Promise<void> {
    if (text === null) return undefined
    const reading = this.#inTurn(readEvent(text), text)
    return reading instanceof Promise
      ? reading.then((event) => this.#hearProvider(event, text))
      : this.#hearProvider(reading, text)
  }

  #hearProvider(event: RealtimeEvent | null, text: Buffer): void | Promise<void> {
    if (event === null) {
      // Frames that are not events are dropped. An unreadable frame may be the end of a response.
      return isTooLarge(text) ? this.#providerFailed(problemFromTransport('too_large')) : undefined
    }
    this.#idle.refresh()
    const said = saidBy(event)
    if (said === null) return this.#handOn(event, text)
    if (this.#ending !== null) return undefined
    const paid = this.#responses.says(responseIdOf(event), said)
    return paid === true ? this.#parts.client.send(text) : this.#sayIf(paid, text)
  }

  async #sayIf(paid: Promise<boolean>, text: Buffer): Promise<void> {
    if (!(await paid)) this.#refuse(this.#unpaid)
    if (this.#ending === null) await this.#parts.client.send(text)
  }

  async #handOn(event: RealtimeEvent, text: Buffer): Promise<void> {
    const isPaid = await this.#handle(event)
    if (!isPaid || !isForClient(event)) return
    // While the session ends, only `response.done` is forwarded.
    if (this.#ending !== null && event.type !== 'response.done') return
    await this.#parts.client.send(forClient(event, this.#parts.askedWith) ?? text)
  }

  /** Returns false if the event must not be forwarded because it is not paid. */
  async #handle(event: RealtimeEvent): Promise<boolean> {
    try {
      this.#report(event)
      // Cancels a response that was requested before the session ended and begins only now.
      if (this.#ending !== null && event.type === 'response.created') {
        void this.#parts.provider.send(cancelResponse(responseIdOf(event)))
      }
      const isPaid = await this.#responses.heardFromProvider(event, this.#ending?.endReason)
      if (!isPaid) this.#refuse(this.#unpaid)
      this.#afterEvent()
      return isPaid
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      this.#refuse(error)
      this.#afterEvent()
      return false
    }
  }

  #afterEvent() {
    if (this.#isQuiet) this.#onQuiet?.()
    if (this.#responses.running === 0 && this.#isStopping) this.#stopNow()
  }

  /** True if nothing is running and, after a disconnect, nothing is due. */
  get #isQuiet(): boolean {
    const { running, due } = this.#responses
    return running + (this.#ending?.endReason === END_REASON.clientLeft ? due : 0) === 0
  }

  /** A provider account may be refused in the middle of a session. */
  #report({ type, json }: RealtimeEvent) {
    const details = member(member(json, 'response'), 'status_details')
    const error = member(type === 'response.done' ? details : json, 'error')
    if (!isRecord(error)) return
    const { target, askedWith } = this.#parts
    const { problem } = retold(error, askedWith)
    if (problem.namesKey) this.#deps.autoDisable.report(target, askedWith.key, problem)
  }

  /**
   * Running responses are cancelled so that their usage reports arrive soon and little is drained.
   */
  #clientLeft() {
    if (this.#ending !== null) return
    const { user } = this.#parts
    const waitMs = this.#deps.drains.begin({ user, isUnseen: false })
    if (waitMs > 0) void this.ended.then(() => this.#deps.drains.end(user))
    this.#end({ endReason: END_REASON.clientLeft, closeCode: CLOSE.normal, waitMs })
  }

  #providerLeft(code: number) {
    this.#onQuiet?.()
    const isRegular = REGULAR_CLOSES.has(code)
    const problem = problemFromTransport('closed_early')
    const { target } = this.#parts
    if (!isRegular) this.#deps.health.begin(target, 'stream').failed(problem)
    const isWhole = isRegular && !this.#responses.isAnswering
    this.#end({
      endReason: isWhole ? END_REASON.finished : END_REASON.brokenStream,
      closeCode: isWhole ? CLOSE.normal : CLOSE.internal,
      error: isWhole ? undefined : problem,
      waitMs: 0,
    })
  }

  #providerFailed(problem: UpstreamProblem) {
    this.#deps.health.begin(this.#parts.target, 'stream').failed(problem)
    this.#end({
      endReason: END_REASON.brokenStream,
      closeCode: CLOSE.internal,
      error: problem,
      waitMs: 0,
    })
  }

  #fail(error: unknown) {
    const { log, first } = this.#parts
    log.error({ error, requestId: first.requestId }, 'a Realtime session failed')
    this.#end({
      endReason: END_REASON.internalError,
      closeCode: CLOSE.internal,
      error: own('internal_error', 'Internal gateway error.'),
      waitMs: 0,
    })
  }

  #end(ending: Ending) {
    if (this.#ending !== null) return
    this.#ending = ending
    clearTimeout(this.#length)
    clearTimeout(this.#idle)
    void this.#finish(ending)
  }

  async #finish(ending: Ending): Promise<void> {
    const { closeCode, error } = ending
    const { client, provider, admission, log, first } = this.#parts
    try {
      await this.#breakOff(ending)
      if (error !== undefined) void this.#tell(error)
    } catch (failure) {
      log.error({ error: failure, requestId: first.requestId }, 'a session could not be ended')
    }
    await Promise.all([client.close(closeCode, error?.code ?? ''), provider.close(CLOSE.normal)])
    admission.end()
    this.#resolve()
  }

  /** Waits for the reports of cancelled responses. Settles every hold even if that fails. */
  async #breakOff({ endReason, error, waitMs }: Ending): Promise<void> {
    const { provider } = this.#parts
    try {
      for (const frame of this.#responses.cancellations()) void provider.send(frame)
      if (!this.#isQuiet && provider.isOpen && waitMs > 0) await this.#reports(waitMs)
    } finally {
      await this.#responses.close(endReason, error?.message ?? '', waitMs > 0)
    }
  }

  async #reports(waitMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#onQuiet = resolve
    const late = setTimeout(resolve, waitMs)
    await promise
    clearTimeout(late)
  }
}

function idOf(event: RealtimeEvent | null): string | null {
  const id = member(event?.json, 'event_id')
  return typeof id === 'string' ? id : null
}
