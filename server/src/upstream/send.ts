import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import type { TransportFailure } from '@tollgate/relay'
import { isSuccess } from './collect.ts'
import { DecodedAnswer } from './decoded-answer.ts'
import type { AnswerSink, Exchange, Sender, UpstreamCall } from './exchange.ts'
import { createGuardedFetch, type GuardedFetch } from './guarded-fetch.ts'
import { createKeyExchange, type ExchangeKey } from './key-exchange.ts'
import { UPSTREAM_LIMITS, type UpstreamLimits } from './limits.ts'
import { isPacked } from './packed.ts'
import { createPools, type Pools } from './pool.ts'
import { createWebSockets } from './web-socket-transfer.ts'

export type Upstream = Sender & {
  exchangeKey: ExchangeKey
  /** For addresses that came from a user. */
  fetchGuarded: GuardedFetch
  close: () => Promise<void>
}

export function createUpstream(
  limits: UpstreamLimits = UPSTREAM_LIMITS,
  { privateNetworks = [] }: { privateNetworks?: readonly string[] } = {},
): Upstream {
  const pools = createPools(limits)
  const webSockets = createWebSockets(limits)
  const transfer: Upstream['send'] = (call, sink) =>
    call.transport === 'websocket'
      ? webSockets.send(call, sink)
      : new Transfer(pools, limits, call, sink)
  const send: Upstream['send'] = (call, sink) => {
    if (call.reader === undefined) return transfer(call, sink)
    const decoded = new DecodedAnswer(call.reader, limits, sink)
    return decoded.follow(transfer(call, decoded))
  }
  const exchangeKey = createKeyExchange({ send, limits }, Date.now)
  const fetchGuarded = createGuardedFetch({ privateNetworks })
  const close = async () => {
    webSockets.close()
    await pools.close()
  }
  return { limits, send, exchangeKey, fetchGuarded, close }
}

const NO_LONGER_WANTED = new Error('nobody waits for this answer any more')

class Transfer implements Exchange, Dispatcher.DispatchHandler {
  readonly #limits: UpstreamLimits
  readonly #total: NodeJS.Timeout
  #sink: AnswerSink | null
  #controller: Dispatcher.DispatchController | null = null
  #silence: NodeJS.Timeout
  #begun = false
  #paused = false

  constructor(pools: Pools, limits: UpstreamLimits, call: UpstreamCall, sink: AnswerSink) {
    this.#limits = limits
    this.#sink = sink
    this.#total = setTimeout(() => this.#giveUp('total_timeout'), limits.totalMs)
    this.#silence = setTimeout(() => this.#giveUp('first_byte_timeout'), limits.firstByteMs)
    // A dispatch may fail before it returns, and its sink must not hear of that before its caller can.
    queueMicrotask(() => this.#dispatch(pools, call))
  }

  #dispatch(pools: Pools, { url, headers, body, proxy = null }: UpstreamCall) {
    if (this.#sink === null) return
    try {
      const { origin, pathname, search } = new URL(url)
      const method = body === null ? 'GET' : 'POST'
      const path = pathname + search
      pools.forOrigin(origin, proxy).dispatch({ origin, path, method, headers, body }, this)
    } catch {
      this.#giveUp('connect')
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController) {
    this.#controller = controller
    if (this.#sink === null) controller.abort(NO_LONGER_WANTED)
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ) {
    const isInterim = status < 200
    if (isInterim) return
    this.#begun = true
    this.#restartSilence()
    this.#sink?.head(status, headers)
    if (!isPacked(headers)) return
    if (isSuccess(status)) this.#giveUp('packed')
    else this.#endHere()
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer) {
    if (this.#sink === null) return
    if (!this.#paused) this.#silence.refresh()
    this.#sink.data(chunk)
  }

  onResponseEnd() {
    this.#close()?.end()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error) {
    this.#close()?.fail(this.#failureOf(error))
  }

  pause() {
    this.#paused = true
    clearTimeout(this.#silence)
    this.#controller?.pause()
  }

  resume() {
    if (this.#sink === null) return
    this.#paused = false
    this.#restartSilence()
    this.#controller?.resume()
  }

  abort() {
    this.#close()
    this.#controller?.abort(NO_LONGER_WANTED)
  }

  release() {
    if (this.#close() === null) return
    this.#silence = setTimeout(() => this.#controller?.abort(NO_LONGER_WANTED), this.#limits.tailMs)
    this.#controller?.resume()
  }

  #restartSilence() {
    clearTimeout(this.#silence)
    this.#silence = setTimeout(() => this.#giveUp('idle_timeout'), this.#limits.idleMs)
  }

  #giveUp(failure: TransportFailure) {
    const sink = this.#close()
    this.#controller?.abort(NO_LONGER_WANTED)
    sink?.fail(failure)
  }

  /** Of a failure that cannot be read the status is enough. */
  #endHere() {
    const sink = this.#close()
    this.#controller?.abort(NO_LONGER_WANTED)
    sink?.end()
  }

  /** Takes the sink away, so that it hears of one end only. */
  #close(): AnswerSink | null {
    clearTimeout(this.#total)
    clearTimeout(this.#silence)
    const sink = this.#sink
    this.#sink = null
    return sink
  }

  #failureOf(error: Error): TransportFailure {
    const code = 'code' in error ? String(error.code) : ''
    if (code === 'UND_ERR_CONNECT_TIMEOUT') return 'connect_timeout'
    if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'too_large'
    if (error.name === 'HTTPParserError' || code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') {
      return 'malformed'
    }
    if (this.#begun) return 'closed_early'
    return this.#controller === null ? 'connect' : 'reset'
  }
}
