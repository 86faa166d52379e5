import { type IncomingMessage, Server, type ServerOptions, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { FrontConnection, type Lane } from './front-connection.ts'

/** What is idle is closed no earlier than it is told, and not much later. */
const SWEEP_MS = 5000

export type FrontOptions = ServerOptions & {
  /** Whether a request with this path and query may be served by `serveSimple`. */
  takes: Lane['takes']
  serveSimple: Lane['serve']
  /** All others, as Node.js reads them. */
  serve: (request: IncomingMessage, response: ServerResponse) => void
}

/**
 * Node's own server of HTTP, before which we read requests ourselves where that is simple: those of one kind of
 * path, and of them only what no two readers could take for two things. A connection that says anything else is
 * Node's from that request on. What closes the server closes our connections like its own.
 */
export class FrontServer extends Server {
  readonly #connections = new Set<FrontConnection>()

  constructor({ takes, serveSimple, serve, ...options }: FrontOptions) {
    super(options, serve)
    const [readByNode] = this.listeners('connection')
    if (readByNode === undefined) throw new Error('Node.js takes its connections in another way')
    this.removeAllListeners('connection')
    const lane: Lane = {
      takes,
      serve: serveSimple,
      handOver: (connection, socket) => {
        this.#connections.delete(connection)
        Reflect.apply(readByNode, this, [socket])
      },
      gone: (connection) => void this.#connections.delete(connection),
      isClosing: () => !this.listening,
      firstMs: this.headersTimeout,
      idleMs: () => this.keepAliveTimeout,
      restMs: this.requestTimeout,
    }
    this.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      // Asked for when it is read: a sender that is refused before need not send it.
      request.once('resume', () => {
        if (!response.headersSent) response.writeContinue()
      })
      serve(request, response)
    })
    this.on('connection', (socket: Socket) => {
      this.#connections.add(new FrontConnection(socket, lane))
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
