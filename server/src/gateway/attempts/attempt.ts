import type { IncomingHttpHeaders } from 'node:http'
import {
  type Answer,
  type AnswerObserver,
  type UpstreamSecrets,
  ByteCollector,
  ChatStream,
  classifyUpstreamError,
  type Decoded,
  isReadAtOnce,
  NativeStream,
  problemFromTransport,
  type RelayRequest,
  type Steps,
  type StreamEvent,
  StreamObserver,
  type TransportFailure,
} from '@tollgate/relay'
import type { Clock } from '../../clock.ts'
import { type Deadlines, type Due, NOT_DUE } from '../../deadlines.ts'
import { scheduler } from '../../scheduler/fair-scheduler.ts'
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
import type { AttemptExchange, AttemptOutcome } from './attempt-outcome.ts'
import { OpenStream } from './open-stream.ts'
import { readWhole, summarize } from './read-whole.ts'
import {
  sizeOfChunk,
  type StreamChunk,
  type StreamInput,
  type StreamOutput,
  StreamReader,
} from './stream-reader.ts'

export type AttemptDeps = {
  upstream: Upstream
  client: Client
  clock: Clock
  /** Redacted from errors in which the provider repeats them. */
  channelSecrets: UpstreamSecrets
  upstreamModel?: string
  /** An answer without output is a failure. */
  failsEmpty?: boolean
  /** The stream continues another, so events are needed whatever the client's API. */
  continues?: boolean
  deadlines: Deadlines
  /** When the attempt expires, by the monotonic clock. */
  deadline: number
}

export const setDeadline = ({ deadlines, deadline, clock }: AttemptDeps, due: Due) =>
  deadlines.set(due, deadline - clock.monotonic())

/**
 * One attempt at one channel. Ends when it fails, has a whole answer, or gets the first token of a
 * stream.
 */
export class Attempt implements AnswerSink, AttemptExchange, Due {
  dueAt = Infinity
  dueSlot = NOT_DUE
  readonly #outcome = Promise.withResolvers<AttemptOutcome>()
  readonly #deps: AttemptDeps
  readonly #request: RelayRequest
  readonly #exchange: Exchange
  readonly #onDrainOver = () => this.abandon()
  readonly #startedAt: number
  readonly #onTokenRefused: UpstreamCall['onTokenRefused']
  readonly #tap: NativeTap | null
  /** The whole answer, or the bytes of a stream before its first token. */
  readonly #collector = new ByteCollector()
  #decoded: Answer | null = null
  #status = 0
  #headers: IncomingHttpHeaders = {}
  #observer: AnswerObserver | null = null
  #native: NativeStream | null = null
  #reader: StreamReader | null = null
  /** Output without content, held back because another attempt may be the first to get a token. */
  #heldBack: StreamOutput[] = []
  /** Bytes of the stream before its first token. */
  #silentBytes = 0
  #stream: OpenStream | null = null
  #hasOutcome = false

  constructor(deps: AttemptDeps, request: RelayRequest, call: UpstreamCall) {
    this.#deps = deps
    this.#request = request
    this.#startedAt = this.#deps.clock.monotonic()
    this.#onTokenRefused = call.onTokenRefused
    this.#tap = call.tap ?? null
    this.#exchange = deps.upstream.send(call, this)
    deps.client.onDrainTimeout(this.#onDrainOver)
    setDeadline(deps, this)
  }

  get outcome(): Promise<AttemptOutcome> {
    return this.#outcome.promise
  }

  #resolve(outcome: AttemptOutcome) {
    this.#hasOutcome = true
    this.#deps.client.offDrainTimeout(this.#onDrainOver)
    this.#deps.deadlines.clear(this)
    this.#outcome.resolve(outcome)
  }

  get #workedMs(): number {
    return this.#deps.clock.monotonic() - this.#startedAt
  }

  cancel() {
    if (!this.#hasOutcome) this.#stop({ type: 'cancelled' })
  }

  abandon() {
    if (!this.#hasOutcome) this.#stop({ type: 'abandoned', workedMs: this.#workedMs })
  }

  /** The deadline of all attempts has passed. An answer that is arriving may end. */
  onDue() {
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
    if (task !== undefined) {
      const observer = task.observe?.(contentTypeOf(headers)) ?? null
      if (observer !== null) this.#observe(observer, { type: 'bytes', stream: observer })
    } else if (stream) this.#observeChat()
  }

  #observeChat() {
    const { choices } = this.#request
    const { upstreamModel, upstream, client, continues = false } = this.#deps
    const observer = new StreamObserver({ choices, upstreamModel })
    if (this.#tap !== null) {
      this.#native = new NativeStream(observer, this.#tap.createEventReader())
      return this.#observe(observer, { type: 'bytes', stream: this.#native })
    }
    const stream = new ChatStream(observer, { eventBytesMax: upstream.limits.answerBytesMax })
    const passes = client.dialect.readsChatCompletions && !continues
    this.#observe(observer, { type: passes ? 'bytes' : 'events', stream })
  }

  #observe(observer: AnswerObserver, input: StreamInput) {
    this.#observer = observer
    this.#reader = new StreamReader(observer, input)
  }

  offer(chunk: Buffer): boolean {
    return this.#stream?.offer(chunk) === true
  }

  data(chunk: Buffer) {
    if (this.#stream) return this.#stream.push(chunk)
    const [observer, reader] = [this.#observer, this.#reader]
    if (observer && reader) return this.#awaitFirstToken(observer, reader, chunk)
    this.#collector.add(chunk)
    if (this.#collector.size > bodyBytesMax(this.#deps.upstream, this.#status)) {
      this.#failTransport('too_large')
    }
  }

  events(events: readonly StreamEvent[]) {
    if (this.#stream) return this.#stream.push(events)
    const [observer, reader] = [this.#observer, this.#reader]
    if (observer && reader) this.#awaitFirstToken(observer, reader, events)
  }

  answer(decoded: Answer, body: Buffer) {
    this.#decoded = decoded
    this.#collector.add(body)
  }

  end() {
    if (this.#stream) return this.#stream.end(null)
    const [observer, reader] = [this.#observer, this.#reader]
    if (observer && reader) return this.#endBeforeFirstToken(observer, reader)
    if (this.#hasOutcome) return
    const body = this.#collector.bytes()
    const passes = this.#decoded === null && this.#tap === null
    if (passes && isReadAtOnce(body)) return this.#endNonStreamed(body, body)
    const reading = scheduler.runSized(this, this.#read(body), body.length)
    if (!(reading instanceof Promise)) return this.#endNonStreamed(body, reading)
    reading
      .then((read) => this.#endNonStreamed(body, read))
      .catch(() => this.#failTransport('malformed'))
  }

  *#read(body: Buffer): Steps<Decoded | TransportFailure> {
    if (this.#decoded !== null) return this.#decoded
    const { readsChatCompletions } = this.#deps.client.dialect
    const tap = isSuccess(this.#status) ? this.#tap : null
    return yield* readWhole(body, { tap, request: this.#request, readsChatCompletions })
  }

  #endNonStreamed(body: Buffer, read: Decoded | TransportFailure) {
    if (this.#hasOutcome) return
    if (typeof read === 'string') return this.#failTransport(read)
    const contentType = contentTypeOf(this.#headers)
    const { upstreamModel = '', client } = this.#deps
    const about = {
      contentType,
      upstreamModel,
      readsChatCompletions: client.dialect.readsChatCompletions,
    }
    const { answer, decoded } = summarize(read, this.#request, about)
    const isRefused = !isSuccess(this.#status) || this.#request.stream || !answer.complete
    if (isRefused) return this.#failWithBody(Buffer.isBuffer(read) ? read : body)
    if (this.#deps.failsEmpty === true && answer.isEmpty?.() === true) return this.fail('empty')
    const [status, headers, isNative] = [this.#status, this.#headers, this.#tap !== null]
    const type = 'answered'
    this.#resolve({ type, status, contentType, body, decoded, answer, isNative, headers })
  }

  fail(failure: TransportFailure) {
    if (this.#stream) return this.#stream.end(failure)
    const status = this.#status
    const isRefused = status !== 0 && !isSuccess(status)
    const isLost = reachedProvider(failure) && !isRefused && failure !== 'empty'
    this.#resolve({
      type: 'failed',
      status,
      problem: problemFromTransport(failure),
      ...(isLost && { workedMs: this.#workedMs }),
      isSilent: status === 0 && failure === 'first_byte_timeout',
      isEmpty: failure === 'empty',
    })
  }

  #stop(outcome: Extract<AttemptOutcome, { type: 'abandoned' | 'expired' | 'cancelled' }>) {
    this.#exchange.abort()
    this.#resolve(outcome)
  }

  /** Keep-alive comments are not an answer. They do not extend the wait for the first token. */
  #awaitFirstToken(observer: AnswerObserver, reader: StreamReader, chunk: StreamChunk) {
    const { upstream } = this.#deps
    this.#holdBack(observer, reader.push(chunk))
    if (this.#isAnswer(observer)) return this.#commit(observer, reader)
    if (observer.error !== null) {
      this.#exchange.abort()
      return this.#failWithBody(observer.error)
    }
    if (observer.overflowed) return this.#failTransport('too_large')
    if (observer.done)
      return this.#failTransport(this.#isEmpty(observer) ? 'empty' : 'closed_early')
    this.#silentBytes += sizeOfChunk(chunk)
    const isSmall = this.#collector.size < upstream.limits.errorBytesMax
    if (isSmall && Buffer.isBuffer(chunk)) this.#collector.add(chunk)
    if (this.#workedMs > upstream.limits.firstByteMs) this.#failTransport('first_byte_timeout')
  }

  #endBeforeFirstToken(observer: AnswerObserver, reader: StreamReader) {
    this.#holdBack(observer, reader.end())
    if (this.#isAnswer(observer)) {
      this.#commit(observer, reader)
      this.#stream?.end(null)
    } else if (observer.error !== null) this.#failWithBody(observer.error)
    else if (this.#isEmpty(observer)) this.fail('empty')
    else if (observer.started || this.#collector.size === 0) this.fail('closed_early')
    else this.#failWithBody(this.#collector.bytes())
  }

  /** Whether the first token arrived, or too many empty events to hold back. */
  #isAnswer(observer: AnswerObserver): boolean {
    const { hasOutput, started } = observer
    const isTooMuch = this.#silentBytes >= this.#deps.upstream.limits.errorBytesMax
    return (hasOutput && !this.#isEmpty(observer)) || (started && isTooMuch)
  }

  /** Whether a stream that ends now would be a failure, because it has no output. */
  #isEmpty(observer: AnswerObserver): boolean {
    return this.#deps.failsEmpty === true && observer.hasOutput && observer.isEmpty
  }

  #holdBack(observer: AnswerObserver, output: StreamOutput) {
    if (observer.started) this.#heldBack.push(output)
  }

  #commit(observer: AnswerObserver, reader: StreamReader) {
    const [native, exchange, status] = [this.#native, this.#exchange, this.#status]
    const { channelSecrets } = this.#deps
    const opened = {
      observer,
      reader,
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
