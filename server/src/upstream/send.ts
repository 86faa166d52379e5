import type { IncomingHttpHeaders } from 'node:http'
import type { TransportFailure } from '@tollgate/relay'
import { type Clock, systemClock } from '../clock.ts'
import { Deadlines, type Due, NOT_DUE } from '../deadlines.ts'
import { createLru } from '../lru.ts'
import { createOutgoing, type Outgoing, type OutgoingDeps } from '../network/outgoing.ts'
import { ChunkPacer } from './chunk-pacer.ts'
import { isCompressed } from './content-encoding.ts'
import { DecodingSink } from './decoding-sink.ts'
import {
  type AnswerSink,
  type Exchange,
  type Sender,
  endSink,
  type UpstreamCall,
} from './exchange.ts'
import { createGuardedFetch, type GuardedFetch } from './guarded-fetch.ts'
import { createHttpClient } from './http-client/client.ts'
import { type HttpExchange, type HttpRequest, httpRequest } from './http-client/http-exchange.ts'
import { createKeyExchange, type ExchangeKey } from './key-exchange.ts'
import { UPSTREAM_LIMITS, type UpstreamLimits } from './limits.ts'
import { isSuccess } from './read-response.ts'
import { createWebSockets } from './web-socket-transfer.ts'

const ADDRESSES_MAX = 500
const LINE_FEED = 0x0a
/**
 * Chunks that may complete a longer line, such as an event with an image, are scheduled fairly with
 * all other work.
 */
const LINE_BYTES_UNPACED = 256 * 1024

export type Upstream = Sender & {
  exchangeKey: ExchangeKey
  /** For URLs supplied by a user. */
  fetchGuarded: GuardedFetch
  /** Address rules for connections not made by `send`. */
  outgoing: Outgoing
  clock: Clock
  close: () => void
}

export function createUpstream(
  limits: UpstreamLimits = UPSTREAM_LIMITS,
  { clock = systemClock, ...deps }: OutgoingDeps & { readonly clock?: Clock } = {},
): Upstream {
  const outgoing = createOutgoing(deps)
  const http = createHttpClient({ connectMs: limits.connectMs, outgoing, clock })
  const webSockets = createWebSockets({ limits, outgoing, clock })
  const readAddress = addressReader()
  const transferDeps = { limits, clock, deadlines: new Deadlines(clock) }
  const transfer: Upstream['send'] = (call, sink) =>
    call.transport === 'websocket'
      ? webSockets.send(call, sink)
      : new Transfer(transferDeps, sink, (exchange) =>
          http.send(requestOf(call, readAddress), exchange),
        )
  const send: Upstream['send'] = (call, sink) => {
    if (call.decoder === undefined) return transfer(call, sink)
    const decoded = new DecodingSink(call.decoder, limits, sink)
    return decoded.attach(transfer(call, decoded))
  }
  const exchangeKey = createKeyExchange({ send, limits }, clock.now)
  const fetchGuarded = createGuardedFetch(deps)
  const close = () => {
    webSockets.close()
    http.close()
  }
  return { limits, send, exchangeKey, fetchGuarded, outgoing, clock, close }
}

type TransferDeps = {
  readonly limits: UpstreamLimits
  readonly clock: Clock
  readonly deadlines: Deadlines
}

class Transfer implements Exchange, AnswerSink, Due {
  /** Serves both deadlines. Not reset per chunk: once reached, it is set to the earlier one. */
  dueAt = Infinity
  dueSlot = NOT_DUE
  readonly #limits: UpstreamLimits
  readonly #clock: Clock
  readonly #deadlines: Deadlines
  #sink: AnswerSink | null
  #exchange: HttpExchange | null = null
  readonly #totalDeadline: number
  /** Deadline for the next bytes; Infinity while paused. V8 boxes no number that begins as one. */
  #idleDeadline = Infinity
  #hasHead = false
  /** Bytes since the last known line end. */
  #lineBytes = 0
  #pacer: ChunkPacer | null = null
  #isPaused = false
  #isReleased = false

  constructor(
    { limits, clock, deadlines }: TransferDeps,
    sink: AnswerSink,
    send: (sink: AnswerSink) => HttpExchange,
  ) {
    this.#limits = limits
    this.#clock = clock
    this.#deadlines = deadlines
    this.#sink = sink
    const { firstByteMs, idleMs, totalMs } = limits
    const now = clock.monotonic()
    this.#totalDeadline = now + totalMs
    this.#idleDeadline = now + firstByteMs
    deadlines.set(this, Math.min(firstByteMs, idleMs, totalMs))
    try {
      this.#exchange = send(this)
    } catch {
      // The sink may be called only after the caller has its exchange.
      queueMicrotask(() => this.fail('connect'))
    }
  }

  head(status: number, headers: IncomingHttpHeaders) {
    this.#hasHead = true
    this.#extendIdleDeadline()
    this.#sink?.head(status, headers)
    if (!isCompressed(headers)) return
    if (isSuccess(status)) this.#abortWith('packed')
    else this.#endAtHead()
  }

  offer(chunk: Buffer): boolean {
    if (this.#lineBytes > 0 || this.#pacer !== null) return false
    if (this.#sink?.offer?.(chunk) !== true) return false
    this.#extendIdleDeadline()
    return true
  }

  data(chunk: Buffer) {
    if (this.#sink === null) return
    this.#extendIdleDeadline()
    if (!this.#mayEndLargeEvent(chunk) && this.#pacer?.isWaiting !== true) {
      return this.#sink.data(chunk)
    }
    this.#pacer ??= this.#openPacer()
    this.#pacer.push(chunk)
  }

  #mayEndLargeEvent(chunk: Buffer): boolean {
    const lineBytes = this.#lineBytes + chunk.length
    const endsLine = chunk[chunk.length - 1] === LINE_FEED
    this.#lineBytes = endsLine ? 0 : lineBytes
    if (lineBytes <= LINE_BYTES_UNPACED) return false
    // Searched only here, because most chunks end with a line end.
    const lastEnd = chunk.lastIndexOf(LINE_FEED)
    if (!endsLine && lastEnd !== -1) this.#lineBytes = chunk.length - lastEnd - 1
    return true
  }

  end() {
    if (this.#pacer?.isWaiting === true) return this.#pacer.afterLast(() => this.end())
    const sink = this.#close()
    if (sink !== null) endSink(sink)
  }

  fail(failure: TransportFailure) {
    if (this.#pacer?.isWaiting === true) return this.#pacer.afterLast(() => this.fail(failure))
    this.#close()?.fail(failure)
  }

  pause() {
    this.#isPaused = true
    this.#idleDeadline = Infinity
    this.#exchange?.pause()
  }

  resume() {
    this.#isPaused = false
    if (this.#sink === null) return
    this.#idleDeadline = this.#clock.monotonic() + this.#limits.idleMs
    if (this.#pacer?.isPausing !== true) this.#exchange?.resume()
  }

  #openPacer(): ChunkPacer {
    return new ChunkPacer({
      onChunk: (chunk) => this.#sink?.data(chunk),
      pause: () => this.#exchange?.pause(),
      resume: () => {
        if (!this.#isPaused) this.#exchange?.resume()
      },
      onError: () => this.#abortWith('malformed'),
    })
  }

  abort() {
    this.#close()
    this.#exchange?.destroy()
  }

  release() {
    if (this.#close() === null) return
    this.#isReleased = true
    this.#deadlines.set(this, this.#limits.tailMs)
    this.#exchange?.resume()
  }

  /** A paused transfer has no idle deadline, even if buffered chunks still arrive. */
  #extendIdleDeadline() {
    if (this.#idleDeadline !== Infinity)
      this.#idleDeadline = this.#clock.monotonic() + this.#limits.idleMs
  }

  onDue() {
    if (this.#isReleased) this.#exchange?.destroy()
    else this.#checkDeadlines()
  }

  #checkDeadlines() {
    const now = this.#clock.monotonic()
    if (now >= this.#totalDeadline) return this.#abortWith('total_timeout')
    if (now >= this.#idleDeadline) {
      return this.#abortWith(this.#hasHead ? 'idle_timeout' : 'first_byte_timeout')
    }
    const nextAt = Math.min(this.#totalDeadline, this.#idleDeadline, now + this.#limits.idleMs)
    this.#deadlines.set(this, nextAt - now)
  }

  #abortWith(failure: TransportFailure) {
    const sink = this.#close()
    this.#exchange?.destroy()
    sink?.fail(failure)
  }

  /** The status of an unreadable error answer is sufficient. */
  #endAtHead() {
    const sink = this.#close()
    this.#exchange?.destroy()
    if (sink !== null) endSink(sink)
  }

  /** Detaches the sink, so that it receives one end only. */
  #close(): AnswerSink | null {
    this.#deadlines.clear(this)
    this.#pacer?.stop()
    const sink = this.#sink
    this.#sink = null
    return sink
  }
}

type Address = { readonly origin: string; readonly host: string; readonly target: string }

/** A page, and a query that is sent as it stands, if there is one. */
const PLAIN_QUERY = /^([^?#]+)(\?[\w=&.~-]+)?$/

/** Parses URLs and caches recent results, as a channel has few. Throws on an invalid URL. */
function addressReader(): (url: string) => Address {
  const known = createLru<string, Address>(ADDRESSES_MAX)
  return (url) => {
    const whole = known.get(url)
    if (whole !== undefined) return whole
    const [, page = url, query = ''] = PLAIN_QUERY.exec(url) ?? []
    let address = known.get(page)
    if (address === undefined) {
      const { origin, host, pathname, search } = new URL(page)
      address = { origin, host, target: pathname + search }
      // A query may contain a secret and is not cached.
      if (search === '') known.set(page, address)
    }
    return query === '' ? address : { ...address, target: address.target + query }
  }
}

function requestOf(
  { url, headers, body, proxy = null }: UpstreamCall,
  readAddress: (url: string) => Address,
): HttpRequest {
  const { origin, host, target } = readAddress(url)
  return httpRequest({ origin, proxy, target, host, headers, body })
}
