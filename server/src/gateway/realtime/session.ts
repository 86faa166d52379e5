/*
 * A session relays events unchanged between a client and its provider and reads those that affect
 * billing. Each response is a request of its own: its hold is taken before it begins, metered while
 * it streams, and settled before its end is forwarded. Frames of one side are processed strictly in
 * order, so nothing overtakes a pending hold or a pending charge.
 */
import type { Logger } from 'pino'
import { END_REASON, type EndReason } from '@tollgate/contract'
import {
  type UpstreamSecrets,
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
  readOutputDelta,
  type Steps,
  type UpstreamProblem,
} from '@tollgate/relay'
import type { Timer } from '../../clock.ts'
import { scheduler } from '../../scheduler/fair-scheduler.ts'
import type { FrameSocket } from '../../upstream/frame-socket.ts'
import type { PricedTarget } from '../billing/terms.ts'
import { Refusal } from '../errors.ts'
import type { Admission } from '../rate-limits/admission.ts'
import { type EventError, errorEvent, redactError } from './error-event.ts'
import { redactForClient, isForClient } from './redact-event.ts'
import { cancelResponse } from './response-request.ts'
import { Responses } from './responses.ts'
import type { RealtimeDeps, AuthorizedRequest, SessionAccess } from './session-access.ts'
import {
  refusalInTranscription,
  DATABASE_UNAVAILABLE,
  endReasonOf,
  gatewayError,
  QUOTA_EXHAUSTED,
} from './session-errors.ts'

export type SessionParts = {
  readonly access: SessionAccess
  readonly user: number
  readonly client: FrameSocket
  readonly provider: FrameSocket
  readonly target: PricedTarget
  readonly channelSecrets: UpstreamSecrets
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
  readonly #durationTimer: Timer
  readonly #idleTimer: Timer
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
    this.#durationTimer = deps.clock.after(sessionMs, () =>
      this.#expire('The session has reached its maximum duration.'),
    )
    this.#idleTimer = deps.clock.after(idleMs, () =>
      this.#expire('The session was idle for too long.'),
    )
    const failed = (error: unknown) => this.#fail(error)
    parts.client.read({
      frame: (text) => this.#onClientFrame(text),
      closed: () => this.#onClientClose(),
      failed,
    })
    parts.provider.read({
      frame: (text) => this.#onProviderFrame(text),
      closed: (code) => this.#onProviderClose(code),
      failed,
    })
  }

  /** Lets running responses finish for up to `stopMs`. */
  stop() {
    this.#isStopping = true
    if (this.#responses.running === 0) return this.#stopNow()
    const { clock, limits } = this.#deps
    clock.after(limits.realtime.stopMs, () => this.#stopNow()).unref()
  }

  #stopNow() {
    const error = gatewayError(
      'shutting_down',
      'The gateway is restarting. Open the session again.',
    )
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
      error: gatewayError('session_expired', message),
      waitMs: this.#deps.limits.realtime.reportMs,
    })
  }

  #onClientFrame(text: Buffer | null): void | Promise<void> {
    if (this.#ending !== null) return undefined
    this.#idleTimer.refresh()
    if (text === null) {
      const error = gatewayError('binary_frame', 'Events must be text frames that contain JSON.')
      return this.#end({ ...this.#clientFault(), closeCode: CLOSE.unsupported, error })
    }
    const reading = this.#schedule(readClientEvent(text, this.#parts.access.model), text)
    return reading instanceof Promise
      ? reading.then((event) => this.#onClientEvent(event, text))
      : this.#onClientEvent(reading, text)
  }

  #onClientEvent(event: ClientEvent | RequestProblem, text: Buffer): void | Promise<void> {
    if (this.#ending !== null) return undefined
    if (isRequestProblem(event)) return this.#refuseEvent(event, idOf(finish(readEvent(text))))
    const error = this.#parts.access.isTranscription ? refusalInTranscription(event) : null
    if (error !== null) return this.#refuseEvent(error, idOf(event))
    if (event.transcriptionModel !== null) {
      return this.#requestTranscription(event, event.transcriptionModel)
    }
    if (event.type === 'response.create') return this.#requestResponse(event)
    this.#responses.onClientEvent(event)
    return this.#parts.provider.send(event.frame)
  }

  /** Large events are scheduled fairly with all other work. */
  #schedule<Result>(steps: Steps<Result>, { length }: Buffer): Result | Promise<Result> {
    return scheduler.runSized(this.#parts.first.user, steps, length)
  }

  /** Reports a refused event; the session continues unless too many were refused. */
  #refuseEvent(error: RequestProblem, eventId: string | null): void | Promise<void> {
    this.#refusedCount += 1
    const isOverLimit = this.#refusedCount > this.#deps.limits.realtime.refusedEventsMax
    if (isOverLimit) return this.#end({ ...this.#clientFault(), closeCode: CLOSE.policy, error })
    return this.#sendError(error, eventId)
  }

  #clientFault() {
    const { reportMs: waitMs } = this.#deps.limits.realtime
    return { endReason: END_REASON.clientLeft, waitMs }
  }

  #sendError(error: EventError, eventId: string | null = null): Promise<void> | undefined {
    const { requestId } = this.#parts.first
    return this.#parts.client.send(errorEvent(error, { requestId, eventId }))
  }

  async #requestTranscription(event: ClientEvent, model: string): Promise<void> {
    try {
      await this.#responses.admitTranscription(model)
      await this.#parts.provider.send(event.frame)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      await this.#sendError(error, idOf(event))
    }
  }

  async #requestResponse(event: RealtimeEvent): Promise<void> {
    if (this.#isStopping)
      return this.#sendError(
        gatewayError('shutting_down', 'The gateway is restarting.'),
        idOf(event),
      )
    try {
      const frame = await this.#responses.request(event)
      if (this.#ending === null) await this.#parts.provider.send(frame)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      // A concurrency limit or a database outage may pass within moments.
      const isPassing = error.status === TOO_MANY || error.status === AWAY
      if (isPassing) return this.#sendError(error, idOf(event))
      this.#endWithRefusal(error)
    }
  }

  get #paymentError(): EventError {
    return this.#deps.ledger.isUnavailable() ? DATABASE_UNAVAILABLE : QUOTA_EXHAUSTED
  }

  #endWithRefusal(error: EventError) {
    this.#end({
      endReason: endReasonOf(error),
      closeCode: CLOSE.policy,
      error,
      waitMs: this.#deps.limits.realtime.reportMs,
    })
  }

  #onProviderFrame(text: Buffer | null): void | Promise<void> {
    if (text === null) return undefined
    const reading = this.#schedule(readEvent(text), text)
    return reading instanceof Promise
      ? reading.then((event) => this.#onProviderEvent(event, text))
      : this.#onProviderEvent(reading, text)
  }

  #onProviderEvent(event: RealtimeEvent | null, text: Buffer): void | Promise<void> {
    if (event === null) {
      // Frames that are not events are dropped. An unreadable frame may be the end of a response.
      return isTooLarge(text) ? this.#providerFailed(problemFromTransport('too_large')) : undefined
    }
    this.#idleTimer.refresh()
    const output = readOutputDelta(event)
    if (output === null) return this.#forward(event, text)
    if (this.#ending !== null) return undefined
    const paid = this.#responses.addOutput(responseIdOf(event), output)
    return paid === true ? this.#parts.client.send(text) : this.#sendIfPaid(paid, text)
  }

  async #sendIfPaid(paid: Promise<boolean>, text: Buffer): Promise<void> {
    if (!(await paid)) this.#endWithRefusal(this.#paymentError)
    if (this.#ending === null) await this.#parts.client.send(text)
  }

  async #forward(event: RealtimeEvent, text: Buffer): Promise<void> {
    const isPaid = await this.#handle(event)
    if (!isPaid || !isForClient(event)) return
    // While the session ends, only `response.done` is forwarded.
    if (this.#ending !== null && event.type !== 'response.done') return
    await this.#parts.client.send(redactForClient(event, this.#parts.channelSecrets) ?? text)
  }

  /** Returns false if the event must not be forwarded because it is not paid. */
  async #handle(event: RealtimeEvent): Promise<boolean> {
    try {
      this.#report(event)
      // Cancels a response that was requested before the session ended and begins only now.
      if (this.#ending !== null && event.type === 'response.created') {
        void this.#parts.provider.send(cancelResponse(responseIdOf(event)))
      }
      const isPaid = await this.#responses.onProviderEvent(event, this.#ending?.endReason)
      if (!isPaid) this.#endWithRefusal(this.#paymentError)
      this.#afterEvent()
      return isPaid
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      this.#endWithRefusal(error)
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
    const { target, channelSecrets } = this.#parts
    const { problem } = redactError(error, channelSecrets)
    if (problem.namesKey) this.#deps.autoDisable.report(target, channelSecrets.key, problem)
  }

  /**
   * Running responses are cancelled so that their usage reports arrive soon and little is drained.
   */
  #onClientClose() {
    if (this.#ending !== null) return
    const { user } = this.#parts
    const waitMs = this.#deps.drains.begin({ user, isCostUnknown: false })
    if (waitMs > 0) void this.ended.then(() => this.#deps.drains.end(user))
    this.#end({ endReason: END_REASON.clientLeft, closeCode: CLOSE.normal, waitMs })
  }

  #onProviderClose(code: number) {
    this.#onQuiet?.()
    const isRegular = REGULAR_CLOSES.has(code)
    const problem = problemFromTransport('closed_early')
    const { target } = this.#parts
    if (!isRegular) this.#deps.health.begin(target, 'stream').failed(problem)
    const isComplete = isRegular && !this.#responses.isAnswering
    this.#end({
      endReason: isComplete ? END_REASON.finished : END_REASON.brokenStream,
      closeCode: isComplete ? CLOSE.normal : CLOSE.internal,
      error: isComplete ? undefined : problem,
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
      error: gatewayError('internal_error', 'Internal gateway error.'),
      waitMs: 0,
    })
  }

  #end(ending: Ending) {
    if (this.#ending !== null) return
    this.#ending = ending
    this.#durationTimer.close()
    this.#idleTimer.close()
    void this.#finish(ending)
  }

  async #finish(ending: Ending): Promise<void> {
    const { closeCode, error } = ending
    const { client, provider, admission, log, first } = this.#parts
    try {
      await this.#settleAll(ending)
      if (error !== undefined) void this.#sendError(error)
    } catch (failure) {
      log.error({ error: failure, requestId: first.requestId }, 'a session could not be ended')
    }
    await Promise.all([client.close(closeCode, error?.code ?? ''), provider.close(CLOSE.normal)])
    admission.end()
    this.#resolve()
  }

  /** Waits for the reports of cancelled responses. Settles every hold even if that fails. */
  async #settleAll({ endReason, error, waitMs }: Ending): Promise<void> {
    const { provider } = this.#parts
    try {
      for (const frame of this.#responses.cancellations()) void provider.send(frame)
      if (!this.#isQuiet && provider.isOpen && waitMs > 0) await this.#awaitReports(waitMs)
    } finally {
      await this.#responses.close(endReason, error?.message ?? '', waitMs > 0)
    }
  }

  async #awaitReports(waitMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#onQuiet = resolve
    const timer = this.#deps.clock.after(waitMs, resolve)
    await promise
    timer.close()
  }
}

function idOf(event: RealtimeEvent | null): string | null {
  const id = member(event?.json, 'event_id')
  return typeof id === 'string' ? id : null
}
