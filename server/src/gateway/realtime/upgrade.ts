import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { WebSocketServer } from 'ws'
import { newRequestId } from '../../http/request-id.ts'
import { internalError, wrongHost, Refusal, shuttingDown } from '../errors.ts'
import { refuseNavigation } from '../intake/browser-request.ts'
import { pathOf } from '../intake/paths.ts'
import { HANDSHAKE_HEADERS } from '../intake/relay-headers.ts'
import { Admission } from '../rate-limits/admission.ts'
import { accept, type Handshake, isHandshake, refuse, upgradeRequired } from './handshake.ts'
import { openSession } from './open-session.ts'
import type { RealtimeDeps } from './session-access.ts'
import type { Session } from './session.ts'

export type Realtime = {
  /** Answers a request for a session; never throws. */
  upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  /** Accepts no new sessions and resolves when all have ended. */
  shutDown: () => Promise<void>
}

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
        accept: (user) => acceptFor(deps, server, user, { request, socket, head, headers }),
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

const acceptFor = (
  { limits, clock, uploads, addressOf }: RealtimeDeps,
  server: WebSocketServer,
  user: number,
  handshake: Handshake,
) => {
  const uploader = { user, address: addressOf(handshake.request) }
  return accept(server, handshake, { limits: limits.realtime, clock, uploads, uploader })
}

const setIn = (headers: Map<string, string>) => (name: string, value: string) =>
  void headers.set(name, value)

/** Never echoes the subprotocol that contains the key. */
function chosenProtocol(offered: ReadonlySet<string>): string | false {
  const known = ['realtime', 'openai-beta.realtime-v1']
  return known.find((protocol) => offered.has(protocol)) ?? false
}

const tooManySessions = () =>
  new Refusal({
    status: 503,
    code: 'too_many_sessions',
    message: 'The gateway has reached its maximum number of sessions. Try again shortly.',
    retryAfterSeconds: 5,
  })
