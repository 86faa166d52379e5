import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { WebSocketServer } from 'ws'
import { newRequestId } from '../../http/request-id.ts'
import type { RelayDeps } from '../context.ts'
import { internalError, Refusal, shuttingDown, wrongHost } from '../errors.ts'
import type { ClientRequest, ClientResponse } from '../http-types.ts'
import { refuseNavigation } from '../intake/browser-request.ts'
import { identify } from '../intake/identify.ts'
import { pathOf } from '../intake/paths.ts'
import { HANDSHAKE_HEADERS } from '../intake/relay-headers.ts'
import {
  accept,
  type Handshake,
  isHandshake,
  refuse,
  upgradeRequired,
  webSocketNotOffered,
} from '../realtime/handshake.ts'
import { Connection, type ConnectionDeps } from './connection.ts'
import { KeptBytes } from './conversations.ts'

export type ResponsesSocket = {
  /** Answers a request for a connection; never throws. */
  upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  /** Accepts no more responses and resolves when all connections have closed. */
  shutDown: () => Promise<void>
}

type SocketDeps = Pick<
  RelayDeps,
  'authenticate' | 'addressOf' | 'consoleHost' | 'limits' | 'clock' | 'settings' | 'uploads'
>

/** `serve` answers each response as an HTTP request. */
export function createResponsesSocket(
  deps: SocketDeps,
  serve: (request: ClientRequest, response: ClientResponse) => void,
  log: Logger,
): ResponsesSocket {
  const { clock } = deps
  const limits = deps.limits.responsesSocket
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: limits.frameBytesMax,
    handleProtocols: () => false,
  })
  const kept = new KeptBytes(limits.keptBytesMax)
  const open = (user: number, opening: Handshake) =>
    openConnection(deps, { server, serve, kept, user }, opening)
  const [running, connections] = [new Set<Promise<void>>(), new Set<Connection>()]
  const counts = new CountByUser()
  let isStopping = false

  /** The user, who has one connection more from here on. */
  const admit = async (request: IncomingMessage): Promise<number> => {
    if (isStopping) throw shuttingDown()
    if (running.size >= limits.connectionsMax) throw tooManyConnections()
    const user = await userOf(deps, request)
    if (counts.of(user) >= limits.userConnectionsMax) throw tooManyConnections()
    counts.add(user, 1)
    return user
  }

  const answer = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const requestId = newRequestId(clock.now())
    const headers = new Map([...HANDSHAKE_HEADERS.entries, ['x-request-id', requestId]])
    let user: number
    try {
      user = await admit(request)
    } catch (error) {
      const isBug = !(error instanceof Refusal)
      if (isBug) log.error({ error, requestId, path: pathOf(request) }, 'a socket was not opened')
      refuse(isBug ? internalError() : error, { socket, headers, requestId, clock })
      return
    }
    try {
      const connection = open(user, { request, socket, head, headers })
      if (connection === null) return
      connections.add(connection)
      if (isStopping) connection.stop()
      await connection.ended
      connections.delete(connection)
    } finally {
      counts.add(user, -1)
    }
  }

  return {
    upgrade: (request, socket, head) => {
      // Errors are handled by the `close` event.
      socket.on('error', () => {})
      const answering = answer(request, socket, head)
      running.add(answering)
      void answering.finally(() => running.delete(answering))
    },
    shutDown: async () => {
      isStopping = true
      for (const connection of connections) connection.stop()
      while (running.size > 0) await Promise.allSettled(running)
    },
  }
}

type Parts = Pick<ConnectionDeps, 'serve' | 'kept' | 'user'> & { readonly server: WebSocketServer }

/** Null if the client has disconnected. */
function openConnection(
  { limits, clock, uploads, addressOf }: SocketDeps,
  { server, ...parts }: Parts,
  opening: Handshake,
): Connection | null {
  const { request } = opening
  const { remoteAddress } = request.socket
  const uploader = { user: parts.user, address: addressOf(request) }
  const rules = { limits: limits.responsesSocket, clock, uploads, uploader }
  const socket = accept(server, opening, rules)
  // A closed socket no longer has an address.
  const handshake = { headers: request.headers, socket: { remoteAddress } }
  return socket && new Connection({ ...parts, ...rules, handshake, socket })
}

/** Connections of each user. */
class CountByUser {
  readonly #counts = new Map<number, number>()

  of(user: number): number {
    return this.#counts.get(user) ?? 0
  }

  add(user: number, change: 1 | -1) {
    const count = this.of(user) + change
    if (count === 0) this.#counts.delete(user)
    else this.#counts.set(user, count)
  }
}

/** Throws a refusal unless the request may open a connection. */
async function userOf(deps: SocketDeps, request: IncomingMessage): Promise<number> {
  if (!deps.consoleHost.servesRelay(request)) throw wrongHost()
  refuseNavigation(request)
  if (!deps.settings.current().ResponsesSocketEnabled) throw webSocketNotOffered()
  if (!isHandshake(request)) throw upgradeRequired()
  const { user } = await identify(deps, { request, arrivedAt: deps.clock.now() })
  return user.id
}

const tooManyConnections = () =>
  new Refusal({
    status: 503,
    code: 'too_many_connections',
    message: 'The gateway has reached its maximum number of connections. Try again shortly.',
    retryAfterSeconds: 5,
  })
