import type { IncomingHttpHeaders } from 'node:http'
import {
  type Answer,
  classifyUpstreamError,
  encodeRequest,
  problemFromTransport,
  readAnswer,
  RELAY_PATHS,
  type RelayRequest,
  StreamWatch,
  type TransportFailure,
  type UpstreamProblem,
  upstreamHeaders,
  upstreamUrl,
} from '@tollgate/relay'
import { BodyCollector, bodyBytesMax, isSuccess } from '../upstream/collect.ts'
import type { AnswerSink, Exchange, Upstream, UpstreamCall } from '../upstream/send.ts'
import type { Client } from './client.ts'
import { OpenStream } from './open-stream.ts'
import type { Target } from './route.ts'

export type AttemptOutcome =
  | { type: 'failed'; problem: UpstreamProblem; status: number }
  | { type: 'answered'; status: number; contentType: string; body: Buffer; answer: Answer }
  | { type: 'streaming'; stream: OpenStream }
  /** The client had left, and the upstream did not answer within the time it is read on. */
  | { type: 'abandoned' }

export type AttemptDeps = { upstream: Upstream; client: Client; now: () => number }

/** The request as the target's provider takes it; null when the channel has no address. */
export function encodeCall(
  request: RelayRequest,
  { channel, upstreamModel: model }: Target,
  options: { key: string; outputLimit: number | null; siteUrl: string; siteName: string },
): UpstreamCall | null {
  const { descriptor, baseUrl } = channel
  const { key, outputLimit, siteUrl, siteName } = options
  const url = upstreamUrl({ descriptor, baseUrl, path: RELAY_PATHS[request.endpoint], model })
  if (url === null) return null
  const limit = outputLimit === null ? {} : { outputLimit }
  return {
    url,
    headers: upstreamHeaders({ descriptor, key, stream: request.stream, siteUrl, siteName }),
    body: encodeRequest(request, { model, descriptor, ...limit }),
  }
}

/** One try at one channel, until it has failed, answered in whole, or begun to stream. */
export function attempt(
  deps: AttemptDeps,
  request: RelayRequest,
  call: UpstreamCall | null,
): Promise<AttemptOutcome> {
  if (call === null) {
    return Promise.resolve({ type: 'failed', status: 0, problem: problemFromTransport('connect') })
  }
  return new Promise((resolve) => new Attempt(deps, request, call, resolve))
}

class Attempt implements AnswerSink {
  readonly #deps: AttemptDeps
  readonly #request: RelayRequest
  readonly #exchange: Exchange
  readonly #resolve: (outcome: AttemptOutcome) => void
  readonly #startedAt: number
  /** The whole answer, or of a stream what came before its first event. */
  readonly #collector = new BodyCollector()
  #status = 0
  #headers: IncomingHttpHeaders = {}
  #watch: StreamWatch | null = null
  #stream: OpenStream | null = null

  constructor(
    deps: AttemptDeps,
    request: RelayRequest,
    call: UpstreamCall,
    resolve: (outcome: AttemptOutcome) => void,
  ) {
    this.#deps = deps
    this.#request = request
    this.#startedAt = deps.now()
    const stopListening = deps.client.onTimeUp(() => {
      this.#exchange.abort()
      this.#resolve({ type: 'abandoned' })
    })
    this.#resolve = (outcome) => {
      stopListening()
      resolve(outcome)
    }
    this.#exchange = deps.upstream.send(call, this)
  }

  head(status: number, headers: IncomingHttpHeaders) {
    this.#status = status
    this.#headers = headers
    const isJson = /\bjson\b/i.test(headers['content-type'] ?? '')
    if (!this.#request.stream || !isSuccess(status) || isJson) return
    const { includeUsageAsked: includeUsage, choices } = this.#request
    this.#watch = new StreamWatch({ includeUsage, choices })
  }

  data(chunk: Buffer) {
    if (this.#stream) return this.#stream.push(chunk)
    if (this.#watch) return this.#awaitFirstEvent(this.#watch, chunk)
    this.#collector.add(chunk)
    if (this.#collector.size > bodyBytesMax(this.#deps.upstream, this.#status)) {
      this.#failBy('too_large')
    }
  }

  end() {
    if (this.#stream) return this.#stream.end(null)
    if (this.#watch) return this.#endBeforeFirstEvent(this.#watch)
    const { endpoint, stream } = this.#request
    const body = this.#collector.body()
    const answer = readAnswer(endpoint, body)
    if (!isSuccess(this.#status) || stream || !answer.complete) return this.#failWith(body)
    const contentType = typeOf(this.#headers)
    this.#resolve({ type: 'answered', status: this.#status, contentType, body, answer })
  }

  fail(failure: TransportFailure) {
    if (this.#stream) return this.#stream.end(failure)
    this.#resolve({
      type: 'failed',
      status: this.#status,
      problem: problemFromTransport(failure),
    })
  }

  /** Keep-alive comments are no answer: they do not extend the wait for the first event. */
  #awaitFirstEvent(watch: StreamWatch, chunk: Buffer) {
    const { upstream, now } = this.#deps
    const blocks = watch.push(chunk)
    if (watch.started) return this.#commit(watch, blocks)
    if (watch.error !== null) {
      this.#exchange.abort()
      return this.#failWith(watch.error)
    }
    if (watch.overflowed) return this.#failBy('malformed')
    if (this.#collector.size < upstream.limits.errorBytesMax) this.#collector.add(chunk)
    if (now() - this.#startedAt > upstream.limits.firstByteMs) this.#failBy('first_byte_timeout')
  }

  #endBeforeFirstEvent(watch: StreamWatch) {
    const blocks = watch.end()
    if (watch.started) {
      this.#commit(watch, blocks)
      this.#stream?.end(null)
    } else if (watch.error !== null) this.#failWith(watch.error)
    else if (this.#collector.size === 0) this.fail('closed_early')
    else this.#failWith(this.#collector.body())
  }

  #commit(watch: StreamWatch, blocks: readonly Buffer[]) {
    this.#stream = new OpenStream(watch, this.#exchange, this.#status, blocks)
    this.#resolve({ type: 'streaming', stream: this.#stream })
  }

  #failBy(failure: TransportFailure) {
    this.#exchange.abort()
    this.fail(failure)
  }

  #failWith(body: Buffer | object) {
    const { now } = this.#deps
    const failure = { status: this.#status, headers: this.#headers, body, now: now() }
    this.#resolve({
      type: 'failed',
      status: this.#status,
      problem: classifyUpstreamError(failure),
    })
  }
}

/** A header that could not be sent on is taken for what it ought to be. */
function typeOf({ 'content-type': given = '' }: IncomingHttpHeaders): string {
  return /^[\x20-\x7e]+$/.test(given) ? given : 'application/json'
}
