import { type IncomingMessage, Server, type ServerOptions, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type ConnectionHooks, FastConnection } from './fast-connection.ts'

/** Idle connections close at most this much later than announced. */
const SWEEP_MS = 5000

export type FastPathOptions = ServerOptions & {
  /** Whether requests with this path and query may be served by `serveFast`. */
  accepts: ConnectionHooks['accepts']
  serveFast: ConnectionHooks['serve']
  /** Serves all other requests, parsed by Node.js. */
  serve: (request: IncomingMessage, response: ServerResponse) => void
}

/**
 * Node's HTTP server with a fast path in front: simple, unambiguous requests to certain paths are
 * parsed here. Any other request moves its connection to Node.js for good. Closing the server
 * closes both kinds of connections.
 */
export class FastPathServer extends Server {
  readonly #connections = new Set<FastConnection>()

  constructor({ accepts, serveFast, serve, ...options }: FastPathOptions) {
    super(options, serve)
    const [readByNode] = this.listeners('connection')
    if (readByNode === undefined) throw new Error('Node.js takes its connections in another way')
    this.removeAllListeners('connection')
    const hooks: ConnectionHooks = {
      accepts,
      serve: serveFast,
      handOver: (connection, socket) => {
        this.#connections.delete(connection)
        Reflect.apply(readByNode, this, [socket])
      },
      onClosed: (connection) => void this.#connections.delete(connection),
      isClosing: () => !this.listening,
      firstMs: this.headersTimeout,
      idleMs: () => this.keepAliveTimeout,
      restMs: this.requestTimeout,
    }
    this.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      // Sent when the body is read: a sender whose request is refused need not send the body.
      request.once('resume', () => {
        if (!response.headersSent) response.writeContinue()
      })
      serve(request, response)
    })
    this.on('connection', (socket: Socket) => {
      this.#connections.add(new FastConnection(socket, hooks))
    })
    this.#sweepWhileListening()
  }

  override closeIdleConnections() {
    super.closeIdleConnections()
    for (const connection of this.#connections) {
      if (connection.isIdle) connection.socket.destroy()
    }
  }

  override closeAllConnections() {
    super.closeAllConnections()
    for (const { socket } of this.#connections) socket.destroy()
  }

  #sweepWhileListening() {
    let sweep: NodeJS.Timeout | undefined
    this.on('listening', () => {
      sweep = setInterval(() => this.#closeExpired(), SWEEP_MS).unref()
    })
    this.on('close', () => clearInterval(sweep))
  }

  #closeExpired() {
    const nowMs = Date.now()
    for (const connection of this.#connections) {
      if (connection.hasExpired(nowMs)) connection.socket.destroy()
    }
  }
}
