import type { IncomingHttpHeaders } from 'node:http'
import {
  type Answer,
  type AnswerObserver,
  answerNodesMax,
  type UpstreamSecrets,
  ByteCollector,
  classifyUpstreamError,
  NativeStream,
  prepareAnswer,
  problemFromTransport,
  readAnswer,
  type RelayRequest,
  asSteps,
  type Steps,
  StreamObserver,
  type TransportFailure,
  skippedMembers,
  type UpstreamProblem,
} from '@tollgate/relay'
import type { Clock } from '../../clock.ts'
import { scheduler } from '../../scheduler/fair-scheduler.ts'
import { CallProblem } from '../../upstream/call-problem.ts'
import {
  type AnswerSink,
  type Exchange,
  type NativeTap,
  reachedProvider,
  type UpstreamCall,
} from '../../upstream/exchange.ts'
import { withTokenRefused } from '../../upstream/key-exchange.ts'
import { bodyBytesMax, isSuccess } from '../../upstream/read-response.ts'
import type { Upstream } from '../../upstream/send.ts'
import type { Client } from '../intake/client.ts'
import { OpenStream } from './open-stream.ts'

export type AttemptOutcome =
  | {
      type: 'failed'
      problem: UpstreamProblem
      status: number
      /**
       * How long the provider may have worked on a lost answer. Absent if it refused or was not
       * asked.
       */
      workedMs?: number
      /** The deadline passed before the head of a response arrived. */
      isSilent?: boolean
    }
  | {
      type: 'answered'
      status: number
      /** From the provider; `answerType` decides what clients are sent. */
      contentType: string
      body: Buffer
      answer: Answer
      /** The body is in the client's own dialect. */
      isNative: boolean
    }
  | { type: 'streaming'; stream: OpenStream }
  /** The client disconnected, and the upstream did not answer within the drain time. */
  | { type: 'abandoned'; workedMs: number }
  /** The client disconnected before anything was sent. */
  | { type: 'unsent' }
  /** The deadline of all attempts passed before any part of an answer arrived. */
  | { type: 'expired'; workedMs: number; isSilent: boolean }
  /** Nothing waits for this attempt any more. */
  | { type: 'cancelled' }

/** Refused, or broken off before the first token. */
export type Failed = Extract<AttemptOutcome, { type: 'failed' }>

export type AttemptExchange = {
  readonly outcome: Promise<AttemptOutcome>
  /**
   * Whether the provider has queued the request and runs it even if nothing polls for the result.
   */
  readonly isQueued?: () => boolean
  /** No effect once there is an outcome. */
  readonly cancel: () => void
  /** The deadline of all attempts has passed. Ends the attempt unless an answer is arriving. */
  readonly expire: () => void
}

export type AttemptDeps = {
  upstream: Upstream
  client: Client
  clock: Clock
  /** Redacted from errors in which the provider repeats them. */
  channelSecrets: UpstreamSecrets
  upstreamModel?: string
}

/**
 * One attempt at one channel. Ends when it fails, has a whole answer, or gets the first token of a
 * stream.
 */
export function beginAttempt(
  deps: AttemptDeps,
  request: RelayRequest,
  encode: () => UpstreamCall | Promise<UpstreamCall>,
): AttemptExchange {
  try {
    const call = encode()
    return call instanceof Promise
      ? beginWhenReady(deps, request, call)
      : new Attempt(deps, request, call)
  } catch (error) {
    const noop = () => {}
    return { outcome: Promise.resolve(failureOf(error)), cancel: noop, expire: noop }
  }
}

function beginWhenReady(
  deps: AttemptDeps,
  request: RelayRequest,
  ready: Promise<UpstreamCall>,
): AttemptExchange {
  const stop = new AbortController()
  let running: AttemptExchange | null = null
  let stopOutcome: AttemptOutcome | null = null
  /** The request was submitted to a provider's queue, which runs and bills it in any case. */
  let isSubmitted = false
  let isQueued = false
  let stopListening = () => {}
  const begin = async (call: UpstreamCall): Promise<AttemptOutcome> => {
    if (stopOutcome === null && deps.client.disconnected) stopWith({ type: 'unsent' })
    if (stopOutcome !== null) return stopOutcome
    isSubmitted = call.queue !== undefined
    const finalCall = (await call.queue?.(stop.signal, () => (isQueued = true))) ?? call
    stopListening()
    if (stopOutcome !== null) return stopOutcome
    running = new Attempt(deps, request, finalCall)
    return running.outcome
  }
  const end = Promise.withResolvers<AttemptOutcome>()
  const stopWith = (outcome: AttemptOutcome) => {
    stopOutcome ??= outcome
    stopListening()
    stop.abort()
    end.resolve(stopOutcome)
  }
  // Queued work is charged in full, so `workedMs` does not matter.
  stopListening = deps.client.onDrainTimeout(() =>
    stopWith(isSubmitted ? { type: 'abandoned', workedMs: 0 } : { type: 'unsent' }),
  )
  const started = ready.then(begin).catch((error: unknown) => {
    stopListening()
    return stopOutcome ?? failureOf(error)
  })
  return {
    outcome: Promise.race([started, end.promise]),
    isQueued: () => isQueued,
    cancel: () => (running === null ? stopWith({ type: 'cancelled' }) : running.cancel()),
    expire: () =>
      running === null
        ? stopWith({ type: 'expired', workedMs: 0, isSilent: true })
        : running.expire(),
  }
}

/** Rethrows everything but a `CallProblem`: a bug in the gateway. */
function failureOf(error: unknown): AttemptOutcome {
  if (!(error instanceof CallProblem)) throw error
  const { problem, status, isBillable } = error
  return { type: 'failed', problem, status, ...(isBillable && { workedMs: 0 }) }
}

class Attempt implements AnswerSink, AttemptExchange {
  readonly outcome: Promise<AttemptOutcome>
  readonly #deps: AttemptDeps
  readonly #request: RelayRequest
  readonly #exchange: Exchange
  readonly #resolve: (outcome: AttemptOutcome) => void
  readonly #startedAt: number
  readonly #onTokenRefused: UpstreamCall['onTokenRefused']
  readonly #tap: NativeTap | null
  /** The whole answer, or the bytes of a stream before its first token. */
  readonly #collector = new ByteCollector()
  #status = 0
  #headers: IncomingHttpHeaders = {}
  #observer: AnswerObserver | null = null
  /** Forwards events in the client's own dialect. Null if they arrive in OpenAI's format. */
  #native: NativeStream | null = null
  /** Events without content, held back because another attempt may be the first to get a token. */
  #heldBack: Buffer[] = []
  #stream: OpenStream | null = null
  #hasOutcome = false

  constructor(deps: AttemptDeps, request: RelayRequest, call: UpstreamCall) {
    this.#deps = deps
    this.#request = request
    this.#startedAt = this.#deps.clock.monotonic()
    this.#onTokenRefused = call.onTokenRefused
    this.#tap = call.tap ?? null
    const { promise, resolve } = Promise.withResolvers<AttemptOutcome>()
    this.outcome = promise
    let stopListening = () => {}
    this.#resolve = (outcome) => {
      this.#hasOutcome = true
      stopListening()
      resolve(outcome)
    }
    this.#exchange = deps.upstream.send(call, this)
    stopListening = deps.client.onDrainTimeout(() =>
      this.#stop({ type: 'abandoned', workedMs: this.#workedMs }),
    )
  }

  get #workedMs(): number {
    return this.#deps.clock.monotonic() - this.#startedAt
  }

  cancel() {
    if (!this.#hasOutcome) this.#stop({ type: 'cancelled' })
  }

  expire() {
    const isReceiving = this.#status !== 0 && this.#observer === null
    if (this.#hasOutcome || isReceiving) return
    this.#stop({ type: 'expired', workedMs: this.#workedMs, isSilent: this.#status === 0 })
  }

  head(status: number, headers: IncomingHttpHeaders) {
    this.#status = status
    this.#headers = headers
    const isJson = /\bjson\b/i.test(headers['content-type'] ?? '')
    if (!isSuccess(status) || isJson) return
    const { stream, task } = this.#request
    if (task !== undefined) this.#observer = task.observe?.(contentTypeOf(headers)) ?? null
    else if (stream) this.#observeChat()
  }

  #observeChat() {
    const { choices } = this.#request
    const { upstreamModel, upstream } = this.#deps
    const eventBytesMax = upstream.limits.answerBytesMax
    const observer = new StreamObserver({ choices, eventBytesMax, upstreamModel })
    this.#observer = observer
    if (this.#tap !== null) this.#native = new NativeStream(observer, this.#tap.createEventReader())
  }

  data(chunk: Buffer) {
    if (this.#stream) return this.#stream.push(chunk)
    const observer = this.#observer
    if (observer)
      return this.#awaitFirstToken(observer, (this.#native ?? observer).push(chunk), chunk)
    this.#collector.add(chunk)
    if (this.#collector.size > bodyBytesMax(this.#deps.upstream, this.#status)) {
      this.#failTransport('too_large')
    }
  }

  end() {
    if (this.#stream) return this.#stream.end(null)
    const observer = this.#observer
    if (observer) return this.#endBeforeFirstToken(observer, (this.#native ?? observer).end())
    if (this.#hasOutcome) return
    const body = this.#collector.bytes()
    const reading = scheduler.runSized(this, this.#read(body), body.length)
    if (!(reading instanceof Promise)) return this.#endNonStreamed(body, reading)
    reading
      .then((read) => this.#endNonStreamed(body, read))
      .catch(() => this.#failTransport('malformed'))
  }

  /**
   * The answer in OpenAI's format, or why it cannot be read. Parses in steps, without the members
   * that the gateway does not use. A codec's output is a new text, so it is parsed as well.
   */
  *#read(body: Buffer): Steps<Buffer | TransportFailure> {
    const { endpoint, task } = this.#request
    const withoutSkipped = { skippedMembers: skippedMembers(endpoint) }
    const nodesMax = answerNodesMax(endpoint)
    if (this.#tap === null) {
      const isPassedThrough = task === undefined && this.#deps.client.dialect.passesThrough
      return (yield* prepareAnswer(body, isPassedThrough ? withoutSkipped : { nodesMax }))
        ? body
        : 'too_large'
    }
    const { skippedMembers: skippedNative } = this.#tap
    if (!(yield* prepareAnswer(body, { nodesMax, skippedMembers: skippedNative })))
      return 'too_large'
    const decoded = yield* this.#toOpenaiForm(body)
    if (decoded === null) return 'malformed'
    return (yield* prepareAnswer(decoded, withoutSkipped)) ? decoded : 'too_large'
  }

  #endNonStreamed(body: Buffer, read: Buffer | TransportFailure) {
    if (this.#hasOutcome) return
    if (typeof read === 'string') return this.#failTransport(read)
    const { endpoint, stream, task } = this.#request
    const { upstreamModel: model } = this.#deps
    const contentType = contentTypeOf(this.#headers)
    const answer = task ? task.readAnswer(read, contentType) : readAnswer(endpoint, read, model)
    if (!isSuccess(this.#status) || stream || !answer.complete) return this.#failWithBody(read)
    const isNative = this.#tap !== null
    this.#resolve({ type: 'answered', status: this.#status, contentType, body, answer, isNative })
  }

  fail(failure: TransportFailure) {
    if (this.#stream) return this.#stream.end(failure)
    const status = this.#status
    const isRefused = status !== 0 && !isSuccess(status)
    const isLost = reachedProvider(failure) && !isRefused
    this.#resolve({
      type: 'failed',
      status,
      problem: problemFromTransport(failure),
      ...(isLost && { workedMs: this.#workedMs }),
      isSilent: status === 0 && failure === 'first_byte_timeout',
    })
  }

  /** Null if the codec fails. */
  *#toOpenaiForm(body: Buffer): Steps<Buffer | null> {
    if (this.#tap === null || !isSuccess(this.#status)) return body
    try {
      return yield* asSteps(this.#tap.decode(body))
    } catch {
      return null
    }
  }

  #stop(outcome: Extract<AttemptOutcome, { type: 'abandoned' | 'expired' | 'cancelled' }>) {
    this.#exchange.abort()
    this.#resolve(outcome)
  }

  /** Keep-alive comments are not an answer. They do not extend the wait for the first token. */
  #awaitFirstToken(observer: AnswerObserver, blocks: readonly Buffer[], chunk: Buffer) {
    const { upstream } = this.#deps
    this.#holdBack(observer, blocks)
    if (this.#isAnswer(observer)) return this.#commit(observer)
    if (observer.error !== null) {
      this.#exchange.abort()
      return this.#failWithBody(observer.error)
    }
    if (observer.overflowed) return this.#failTransport('too_large')
    if (observer.done) return this.#failTransport('closed_early')
    if (this.#collector.size < upstream.limits.errorBytesMax) this.#collector.add(chunk)
    if (this.#workedMs > upstream.limits.firstByteMs) this.#failTransport('first_byte_timeout')
  }

  #endBeforeFirstToken(observer: AnswerObserver, blocks: readonly Buffer[]) {
    this.#holdBack(observer, blocks)
    if (this.#isAnswer(observer)) {
      this.#commit(observer)
      this.#stream?.end(null)
    } else if (observer.error !== null) this.#failWithBody(observer.error)
    else if (observer.started || this.#collector.size === 0) this.fail('closed_early')
    else this.#failWithBody(this.#collector.bytes())
  }

  /** Whether the first token arrived, or too many empty events to hold back. */
  #isAnswer({ hasOutput, started }: AnswerObserver): boolean {
    const isTooMuch = this.#collector.size >= this.#deps.upstream.limits.errorBytesMax
    return hasOutput || (started && isTooMuch)
  }

  #holdBack(observer: AnswerObserver, blocks: readonly Buffer[]) {
    if (observer.started) this.#heldBack.push(...blocks)
  }

  #commit(observer: AnswerObserver) {
    const [native, exchange, status] = [this.#native, this.#exchange, this.#status]
    const { channelSecrets } = this.#deps
    const opened = {
      observer,
      native,
      exchange,
      status,
      channelSecrets,
      startedAt: this.#startedAt,
    }
    this.#stream = new OpenStream(opened, this.#heldBack)
    this.#heldBack = []
    this.#resolve({ type: 'streaming', stream: this.#stream })
  }

  #failTransport(failure: TransportFailure) {
    this.#exchange.abort()
    this.fail(failure)
  }

  #failWithBody(body: Buffer | object) {
    const { channelSecrets, clock } = this.#deps
    const [status, headers] = [this.#status, this.#headers]
    const failure = { status, headers, body, channelSecrets, now: clock.now() }
    this.#resolve({
      type: 'failed',
      status,
      problem: withTokenRefused(classifyUpstreamError(failure), this.#onTokenRefused),
    })
  }
}

const contentTypeOf = ({ 'content-type': given = '' }: IncomingHttpHeaders): string => given
