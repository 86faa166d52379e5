import { LRUCache } from 'lru-cache'
import { type Clock, systemClock } from '../../clock.ts'
import { createOutgoing, type Outgoing } from '../../network/outgoing.ts'
import type { AnswerSink } from '../exchange.ts'
import { Connection, type ConnectionOwner } from './connection.ts'
import { HttpExchange, type HttpRequest } from './http-exchange.ts'
import { type OpenSocket, socketOpener } from './open-socket.ts'

/** Origins come from channels, which are few. Beyond this the least recently used are closed. */
const ORIGINS_MAX = 500
const CONNECTIONS_PER_ORIGIN_MAX = 4096
const SWEEP_MS = 5000

export type HttpClient = {
  /** Reports failures only after it has returned. */
  send: (request: HttpRequest, sink: AnswerSink) => HttpExchange
  close: () => void
}

/** A keep-alive HTTP/1.1 client. An origin has as many connections as concurrent requests. */
export function createHttpClient({
  connectMs,
  connectionsMax = CONNECTIONS_PER_ORIGIN_MAX,
  outgoing = createOutgoing(),
  clock = systemClock,
}: {
  connectMs: number
  connectionsMax?: number
  outgoing?: Outgoing
  clock?: Clock
}): HttpClient {
  const origins = new LRUCache<string, Origin>({
    max: ORIGINS_MAX,
    dispose: (origin) => origin.close(),
  })
  const sweep = clock.after(SWEEP_MS, () => {
    for (const origin of origins.values()) origin.closeExpired()
    sweep.refresh()
  })
  sweep.unref()
  let allowedPrivate = outgoing.allowsPrivate()
  return {
    send: (request, sink) => {
      if (outgoing.allowsPrivate() !== allowedPrivate) {
        allowedPrivate = !allowedPrivate
        // Kept connections were checked under the earlier rules.
        origins.clear()
      }
      const { origin: address, proxy } = request
      const name = proxy === null ? address : `${address} ${proxy}`
      let origin = origins.get(name)
      if (origin === undefined) {
        origin = new Origin({
          open: socketOpener(request, { connectMs, outgoing, clock }),
          connectMs,
          connectionsMax,
          clock,
        })
        origins.set(name, origin)
      }
      const exchange = new HttpExchange(request, sink)
      origin.send(exchange)
      return exchange
    },
    close: () => {
      sweep.close()
      for (const origin of origins.values()) origin.destroy()
      origins.clear()
    },
  }
}

type OriginOptions = {
  open: OpenSocket
  connectMs: number
  connectionsMax: number
  clock: Clock
}

class Origin implements ConnectionOwner {
  readonly #options: OriginOptions
  readonly #connections = new Set<Connection>()
  /** A stack: the most recently used connection is reused first. */
  readonly #idle: Connection[] = []
  /** First in, first out. An aborted exchange is removed, which frees its body. */
  readonly #waiting = new Set<HttpExchange>()
  #isClosed = false

  constructor(options: OriginOptions) {
    this.#options = options
  }

  send(exchange: HttpExchange) {
    const idle = this.#nextIdle()
    if (idle !== undefined) idle.send(exchange)
    else if (this.#connections.size < this.#options.connectionsMax) this.#connect(exchange)
    else this.#queue(exchange)
  }

  onIdle(connection: Connection) {
    if (this.#isClosed) return connection.destroy()
    const next = this.#nextWaiting()
    if (next === null) this.#idle.push(connection)
    else connection.send(next)
  }

  onClosed(connection: Connection) {
    this.#connections.delete(connection)
    const at = this.#idle.indexOf(connection)
    if (at !== -1) this.#idle.splice(at, 1)
    const next = this.#nextWaiting()
    if (next !== null) this.#connect(next)
  }

  /** Skips expired connections that the sweep has not closed yet: the peer may have closed them. */
  #nextIdle(): Connection | undefined {
    const nowMs = this.#options.clock.now()
    for (;;) {
      const idle = this.#idle.pop()
      if (idle === undefined || !idle.hasExpired(nowMs)) return idle
      idle.destroy()
    }
  }

  closeExpired() {
    const nowMs = this.#options.clock.now()
    for (const connection of this.#idle.filter((idle) => idle.hasExpired(nowMs))) {
      connection.destroy()
    }
  }

  /** Running exchanges may finish. */
  close() {
    this.#isClosed = true
    for (const connection of this.#idle.splice(0)) connection.destroy()
  }

  /** Running exchanges fail. */
  destroy() {
    this.#isClosed = true
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const exchange of waiting) exchange.fail('reset')
    for (const connection of this.#connections) connection.closed()
  }

  #connect(exchange: HttpExchange) {
    const { open, connectMs, clock } = this.#options
    this.#connections.add(new Connection(open, exchange, { owner: this, connectMs, clock }))
  }

  #queue(exchange: HttpExchange) {
    this.#waiting.add(exchange)
    const nothing = () => {}
    const remove = () => void this.#waiting.delete(exchange)
    exchange.attachTo({ pause: nothing, resume: nothing, destroy: remove })
  }

  #nextWaiting(): HttpExchange | null {
    const [next] = this.#waiting
    if (next === undefined) return null
    this.#waiting.delete(next)
    return next
  }
}
