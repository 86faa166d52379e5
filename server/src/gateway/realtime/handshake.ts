import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket, WebSocketServer } from 'ws'
import { openaiDialect } from '@tollgate/relay'
import type { Clock } from '../../clock.ts'
import { HEADER_NAME, trimBlanks } from '../../http1/syntax.ts'
import { type FrameLimits, FrameSocket } from '../../upstream/frame-socket.ts'
import { Refusal } from '../errors.ts'
import type { ClientRequestHead } from '../http-types.ts'
import { countFrames, type FrameCount } from '../intake/arriving-frames.ts'
import { pathOf, REALTIME_PATH, RESPONSES_PATH } from '../intake/paths.ts'

/** Other upgrade requests are answered as plain HTTP. */
export const isSocketUpgrade = (request: ClientRequestHead): boolean =>
  [REALTIME_PATH, RESPONSES_PATH].includes(pathOf(request)) && asksForWebSocket(request)

const asksForWebSocket = ({ method, headers }: ClientRequestHead): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'

const VERSION = '13'

/** The library rejects bad handshakes too, but only after a provider was called, and as HTML. */
export function isHandshake({ headers }: IncomingMessage): boolean {
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

export type Handshake = {
  readonly request: IncomingMessage
  readonly socket: Duplex
  readonly head: Buffer
  readonly headers: ReadonlyMap<string, string>
}

/** Null if the client has disconnected. */
export function accept(
  server: WebSocketServer,
  { request, socket, head, headers }: Handshake,
  { limits, clock, ...count }: { limits: FrameLimits; clock: Clock } & FrameCount,
): FrameSocket | null {
  let accepted: FrameSocket | null = null
  server.once('headers', (lines) => {
    for (const [name, value] of headers) lines.push(`${name}: ${value}`)
  })
  const open = (webSocket: WebSocket) => {
    accepted = new FrameSocket(webSocket, limits, clock)
    countFrames(count, { socket, webSocket })
  }
  server.handleUpgrade(request, socket, head, open)
  server.removeAllListeners('headers')
  return accepted
}

const REFUSED_MS = 5000

/** Answers in plain HTTP and closes the connection. */
export function refuse(
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
    message: 'WebSockets are not available here. Send POST /v1/responses over HTTP instead.',
    upgrade: 'HTTP/1.1',
  })
