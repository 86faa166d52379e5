import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type RawData, WebSocket } from 'ws'
import type { TransportFailure } from '@tollgate/relay'
import type { Clock, Timer } from '../clock.ts'
import { AddressRefused, type Outgoing } from '../network/outgoing.ts'
import { failureOfRefusal } from './address-refusal.ts'
import { isCompressed } from './content-encoding.ts'
import { type AnswerSink, type Exchange, endSink, type UpstreamCall } from './exchange.ts'
import type { UpstreamLimits } from './limits.ts'
import { isSuccess } from './read-response.ts'
import { openTunnel } from './tunnel.ts'

/*
 * One request over its own WebSocket: sends one message and reads messages until either side
 * closes. The sink receives status 200 and one line of JSON per message. A rejected handshake is
 * passed on like any HTTP answer.
 */

/** The line limit of the decoders; providers send a few words per message. */
const MESSAGE_BYTES_MAX = 1024 * 1024
const LINES: IncomingHttpHeaders = { 'content-type': 'application/x-ndjson' }
const LINE_FEED = 0x0a
const SPACE = 0x20
/** A regular close, with code 1000 (RFC 6455, 7.4.1) or without a code. */
const NORMAL = 1000
const REGULAR_CLOSES = new Set([NORMAL, 1005])

export type WebSockets = {
  send: (call: UpstreamCall, sink: AnswerSink) => Exchange
  close: () => void
}

export function createWebSockets(deps: Omit<TransferDeps, 'onClosed'>): WebSockets {
  const open = new Set<WebSocketTransfer>()
  return {
    send: (call, sink) => {
      const onClosed = () => open.delete(transfer)
      const transfer = new WebSocketTransfer({ ...deps, onClosed }, call, sink)
      open.add(transfer)
      return transfer
    },
    close: () => {
      for (const transfer of open) transfer.closeEarly()
    },
  }
}

type TransferDeps = {
  limits: UpstreamLimits
  outgoing: Outgoing
  clock: Clock
  onClosed: () => void
}

class WebSocketTransfer implements Exchange {
  readonly #limits: UpstreamLimits
  readonly #outgoing: Outgoing
  readonly #clock: Clock
  readonly #onClosed: () => void
  readonly #totalTimer: Timer
  readonly #connectTimer: Timer
  #idleTimer: Timer
  #sink: AnswerSink | null
  #socket: WebSocket | null = null
  /** The response to a rejected handshake. */
  #refusal: IncomingMessage | null = null
  #isOpen = false
  #paused = false

  constructor(
    { limits, outgoing, clock, onClosed }: TransferDeps,
    call: UpstreamCall,
    sink: AnswerSink,
  ) {
    this.#limits = limits
    this.#outgoing = outgoing
    this.#clock = clock
    this.#onClosed = onClosed
    this.#sink = sink
    this.#totalTimer = clock.after(limits.totalMs, () => this.#abortWith('total_timeout'))
    this.#connectTimer = clock.after(limits.connectMs, () => this.#abortWith('connect_timeout'))
    this.#idleTimer = clock.after(limits.firstByteMs, () => this.#abortWith('first_byte_timeout'))
    // Opening may fail synchronously, but the sink may be called only after the constructor
    // returns.
    queueMicrotask(() => {
      if (typeof call.proxy === 'string') void this.#openThrough(call.proxy, call)
      else this.#open(call)
    })
  }

  pause() {
    this.#paused = true
    this.#idleTimer.close()
    this.#socket?.pause()
    this.#refusal?.pause()
  }

  resume() {
    if (this.#sink === null) return
    this.#paused = false
    this.#restartIdleTimer()
    this.#socket?.resume()
    this.#refusal?.resume()
  }

  abort() {
    this.#finish()
    this.#breakConnection()
  }

  /** The connection carries one request, so there is nothing to keep. */
  release() {
    if (this.#finish() !== null) this.#closeConnection()
  }

  closeEarly() {
    this.#abortWith('closed_early')
  }

  async #openThrough(proxy: string, call: UpstreamCall) {
    if (this.#sink === null) return
    try {
      const route = { proxy, address: call.url }
      const tunnel = await openTunnel(route, this.#limits.connectMs, {
        outgoing: this.#outgoing,
        clock: this.#clock,
      })
      if (tunnel === null) this.#abortWith('connect')
      else if (this.#sink === null) tunnel.destroy()
      else this.#open(call, tunnel)
    } catch (error) {
      this.#abortWith(failureOfRefusal(error))
    }
  }

  #open({ url, headers, body, isLastMessage }: UpstreamCall, tunnel: Duplex | null = null) {
    if (this.#sink === null) return
    const bytesMax = Math.min(MESSAGE_BYTES_MAX, this.#limits.answerBytesMax)
    const socket = openSocket({ url, headers, tunnel, bytesMax }, this.#outgoing)
    if (typeof socket === 'string') return this.#abortWith(socket)
    this.#socket = socket
    socket.on('open', () => {
      this.#connectTimer.close()
      this.#isOpen = true
      if (this.#paused) socket.pause()
      if (body !== null) socket.send(body, { binary: false })
      this.#sink?.head(200, LINES)
    })
    socket.on('message', (message) => this.#onMessage(bytesOf(message), isLastMessage))
    socket.on('close', (code) => this.#end(REGULAR_CLOSES.has(code) ? null : 'closed_early'))
    socket.on('unexpected-response', (_request, response) => this.#onRejected(response))
    socket.on('error', (error) => this.#abortWith(failureOf(error, this.#isOpen)))
  }

  #onMessage(message: Buffer, isLastMessage: UpstreamCall['isLastMessage']) {
    if (this.#sink === null) return
    if (!this.#paused) this.#restartIdleTimer()
    this.#emit(this.#sink, lineOf(message))
    if (isLastMessage?.(message) !== true) return
    // The sink may have released the exchange during the last message.
    const sink = this.#finish()
    if (sink === null) return
    this.#closeConnection()
    endSink(sink)
  }

  /** An error thrown by the sink also makes the answer malformed; other requests continue. */
  #emit(sink: AnswerSink, bytes: Buffer) {
    try {
      sink.data(bytes)
    } catch {
      this.#abortWith('malformed')
    }
  }

  #onRejected(response: IncomingMessage) {
    this.#refusal = response
    this.#connectTimer.close()
    response.on('error', () => this.#end('closed_early'))
    response.on('close', () => this.#end(response.complete ? null : 'closed_early'))
    if (this.#sink === null) return this.#breakConnection()
    this.#restartIdleTimer()
    const { statusCode: status = 0, headers } = response
    this.#sink.head(status, headers)
    if (isCompressed(headers)) {
      if (isSuccess(status)) return this.#abortWith('packed')
      // The status of an unreadable error answer is sufficient.
      this.#end(null)
      return this.#breakConnection()
    }
    response.on('data', (chunk: Buffer) => {
      if (this.#sink === null) return
      if (!this.#paused) this.#idleTimer.refresh()
      this.#emit(this.#sink, chunk)
    })
    if (this.#paused) response.pause()
  }

  #restartIdleTimer() {
    this.#idleTimer.close()
    this.#idleTimer = this.#clock.after(this.#limits.idleMs, () => this.#abortWith('idle_timeout'))
  }

  #end(failure: TransportFailure | null) {
    const sink = this.#finish()
    if (sink === null) return
    if (failure === null) endSink(sink)
    else sink.fail(failure)
  }

  #abortWith(failure: TransportFailure) {
    const sink = this.#finish()
    this.#breakConnection()
    sink?.fail(failure)
  }

  /** Detaches the sink, so that it receives one end only. */
  #finish(): AnswerSink | null {
    this.#totalTimer.close()
    this.#connectTimer.close()
    this.#idleTimer.close()
    const sink = this.#sink
    this.#sink = null
    if (sink !== null) this.#onClosed()
    return sink
  }

  #closeConnection() {
    const socket = this.#socket
    if (socket === null || !this.#isOpen) return this.#breakConnection()
    if (socket.readyState === WebSocket.CLOSED) return
    const tail = this.#clock.after(this.#limits.tailMs, () => socket.terminate())
    socket.on('close', () => tail.close())
    socket.resume()
    socket.close(NORMAL)
  }

  #breakConnection() {
    this.#refusal?.destroy()
    this.#socket?.terminate()
  }
}

/**
 * Returns a failure for an invalid or forbidden URL, and destroys the tunnel then. Compression is
 * off because decompressing messages could take unbounded memory.
 */
export function openSocket(
  {
    url,
    headers,
    tunnel,
    bytesMax,
  }: Pick<UpstreamCall, 'url' | 'headers'> & {
    tunnel: Duplex | null
    /** Per message. */
    bytesMax: number
  },
  outgoing: Outgoing,
): WebSocket | TransportFailure {
  try {
    outgoing.check(new URL(url).hostname)
    return new WebSocket(url, {
      headers: { ...headers },
      lookup: outgoing.lookup,
      perMessageDeflate: false,
      followRedirects: false,
      maxPayload: bytesMax,
      ...(tunnel === null ? {} : { createConnection: () => tunnel }),
    })
  } catch (error) {
    tunnel?.destroy()
    return failureOfRefusal(error)
  }
}

export function bytesOf(message: RawData): Buffer {
  if (Buffer.isBuffer(message)) return message
  return Array.isArray(message) ? Buffer.concat(message) : Buffer.from(message)
}

/** Replaces line ends in the message; inside JSON they are only whitespace between tokens. */
function lineOf(message: Buffer): Buffer {
  const line = Buffer.allocUnsafe(message.length + 1)
  message.copy(line)
  line[message.length] = LINE_FEED
  for (let at = line.indexOf(LINE_FEED); at < message.length; at = line.indexOf(LINE_FEED, at)) {
    line[at] = SPACE
  }
  return line
}

function failureOf(error: Error, isOpen: boolean): TransportFailure {
  if (error instanceof AddressRefused) return failureOfRefusal(error)
  const code = 'code' in error ? String(error.code) : ''
  if (code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH' || code === 'HPE_HEADER_OVERFLOW') {
    return 'too_large'
  }
  if (code.startsWith('WS_ERR_') || code.startsWith('HPE_')) return 'malformed'
  if (isOpen) return 'closed_early'
  // The library's errors about an invalid handshake response have no code.
  if (code === '') return 'malformed'
  return code === 'ECONNRESET' ? 'reset' : 'connect'
}
