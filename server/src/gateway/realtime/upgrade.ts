import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { type WebSocket, WebSocketServer } from 'ws'
import { openaiDialect } from '@tollgate/relay'
import type { Clock } from '../../clock.ts'
import { newRequestId } from '../../http/request-id.ts'
import { HEADER_NAME, trimBlanks } from '../../http1/syntax.ts'
import { FrameSocket } from '../../upstream/frame-socket.ts'
import { internalError, wrongHost, Refusal, shuttingDown } from '../errors.ts'
import type { ClientRequestHead } from '../http-types.ts'
import { refuseNavigation } from '../intake/browser-request.ts'
import { pathOf, REALTIME_PATH } from '../intake/paths.ts'
import { HANDSHAKE_HEADERS } from '../intake/relay-headers.ts'
import { Admission } from '../rate-limits/admission.ts'
import { openSession } from './open-session.ts'
import type { RealtimeDeps } from './session-access.ts'
import type { Session } from './session.ts'

export type Realtime = {
  /** Answers a request for a session; never throws. */
  upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  /** Accepts no new sessions and resolves when all have ended. */
  shutDown: () => Promise<void>
}

/** Other upgrade requests are answered as plain HTTP. */
export const isSessionUpgrade = (request: ClientRequestHead): boolean =>
  pathOf(request) === REALTIME_PATH && asksForWebSocket(request)

export const asksForWebSocket = ({ method, headers }: ClientRequestHead): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'

export function createRealtime(deps: RealtimeDeps, log: Logger): Realtime {
  const { limits, clock, settings, limitStore: store } = deps
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: limits.realtime.frameBytesMax,
    handleProtocols: chosenProtocol,
  })
  const running = new Set<Promise<void>>()
  const sessions = new Set<Session>()
  let isStopping = false

  const answer = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const arrivedAt = clock.now()
    const requestId = newRequestId(arrivedAt)
    const headers = new Map([
      ...HANDSHAKE_HEADERS.entries,
      ['x-oneapi-request-id', requestId],
      // The name that OpenAI's clients show.
      ['x-request-id', requestId],
    ])
    const sink = { headersSent: false, setHeader: setIn(headers) }
    // A separate id: the first response carries the request's id and has limits of its own.
    const placeId = `${requestId}-session`
    const admission = new Admission({ store, settings, requestId: placeId, response: sink })
    try {
      if (isStopping) throw shuttingDown()
      if (!deps.consoleHost.servesRelay(request)) throw wrongHost()
      refuseNavigation(request)
      if (running.size >= limits.realtime.sessionsMax) throw tooManySessions()
      if (!isHandshake(request)) throw upgradeRequired()
      const session = await openSession(deps, {
        request,
        requestId,
        admission,
        log,
        isDisconnected: () => socket.destroyed,
        accept: () => accept(server, { request, socket, head, headers }, deps),
      })
      sessions.add(session)
      if (isStopping) session.stop()
      await session.ended
      sessions.delete(session)
    } catch (error) {
      admission.end()
      const isBug = !(error instanceof Refusal)
      if (isBug) log.error({ error, requestId, path: pathOf(request) }, 'a session was not opened')
      else if (error.cause !== undefined) log.warn({ error: error.cause, requestId }, error.message)
      refuse(isBug ? internalError() : error, { socket, headers, requestId, clock })
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
      for (const session of sessions) session.stop()
      while (running.size > 0) await Promise.allSettled(running)
    },
  }
}

/** Never echoes the subprotocol that contains the key. */
function chosenProtocol(offered: ReadonlySet<string>): string | false {
  const known = ['realtime', 'openai-beta.realtime-v1']
  return known.find((protocol) => offered.has(protocol)) ?? false
}

const VERSION = '13'

/** The library rejects bad handshakes too, but only after a provider was called, and as HTML. */
function isHandshake({ headers }: IncomingMessage): boolean {
  const { 'sec-websocket-key': key = '', 'sec-websocket-version': version } = headers
  const protocols = headers['sec-websocket-protocol']
  const isKeyed = /^[+/0-9A-Za-z]{22}==$/.test(key)
  return isKeyed && version === VERSION && (protocols === undefined || areProtocols(protocols))
}

/** Unique tokens (RFC 6455, 4.1). */
function areProtocols(list: string): boolean {
  const names = list.split(',').map((name) => trimBlanks(name, 0, name.length))
  return names.every((name) => HEADER_NAME.test(name)) && new Set(names).size === names.length
}

const setIn = (headers: Map<string, string>) => (name: string, value: string) =>
  void headers.set(name, value)

type Handshake = {
  readonly request: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
  readonly headers: ReadonlyMap<string, string>
}

/** Null if the client has disconnected. */
function accept(
  server: WebSocketServer,
  { request, socket, head, headers }: Handshake,
  { limits, clock }: Pick<RealtimeDeps, 'limits' | 'clock'>,
): FrameSocket | null {
  let accepted: FrameSocket | null = null
  server.once('headers', (lines) => {
    for (const [name, value] of headers) lines.push(`${name}: ${value}`)
  })
  const open = (webSocket: WebSocket) =>
    (accepted = new FrameSocket(webSocket, limits.realtime, clock))
  server.handleUpgrade(request, socket, head, open)
  server.removeAllListeners('headers')
  return accepted
}

const REFUSED_MS = 5000

/** Answers in plain HTTP and closes the connection. */
function refuse(
  refusal: Refusal,
  {
    socket,
    headers,
    requestId,
    clock,
  }: Pick<Handshake, 'socket' | 'headers'> & { requestId: string; clock: Clock },
) {
  if (socket.destroyed) return
  const { status, body } = openaiDialect.error(refusal.toClientError(requestId))
  const bytes = Buffer.from(body)
  const { retryAfterSeconds } = refusal
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${bytes.length}`,
    ...(refusal.upgrade === null
      ? ['connection: close']
      : ['connection: close, upgrade', `upgrade: ${refusal.upgrade}`]),
    ...(status === UPGRADE_REQUIRED ? [`sec-websocket-version: ${VERSION}`] : []),
    ...(retryAfterSeconds === null ? [] : [`retry-after: ${Math.max(1, retryAfterSeconds)}`]),
    ...[...headers].map(([name, value]) => `${name}: ${value}`),
  ]
  socket.end(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), bytes]))
  const timer = clock.after(REFUSED_MS, () => socket.destroy())
  socket.once('close', () => timer.close())
  // Without reading, the end of the connection would go unnoticed.
  socket.resume()
}

const UPGRADE_REQUIRED = 426

export const upgradeRequired = () =>
  new Refusal({
    status: UPGRADE_REQUIRED,
    code: 'upgrade_required',
    type: 'invalid_request_error',
    message: 'Open a session with WebSocket version 13.',
    upgrade: 'websocket',
  })

/** Clients that prefer WebSocket fall back to HTTP at once on this status only. */
export const webSocketNotOffered = () =>
  new Refusal({
    status: UPGRADE_REQUIRED,
    code: 'websocket_not_offered',
    type: 'invalid_request_error',
    message: 'Responses are not offered over WebSocket. Send POST /v1/responses over HTTP.',
    upgrade: 'HTTP/1.1',
  })

const tooManySessions = () =>
  new Refusal({
    status: 503,
    code: 'too_many_sessions',
    message: 'The gateway has reached its maximum number of sessions. Try again shortly.',
    retryAfterSeconds: 5,
  })
