import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import {
  type UpstreamSecrets,
  classifyUpstreamError,
  problemFromTransport,
  finish,
  readEvent,
  type TransportFailure,
  type UpstreamProblem,
} from '@tollgate/relay'
import { type Clock, systemClock } from '../clock.ts'
import { AddressRefused, createOutgoing, type Outgoing } from '../network/outgoing.ts'
import { failureOfRefusal } from './address-refusal.ts'
import { type FrameLimits, FrameSocket } from './frame-socket.ts'
import type { UpstreamLimits } from './limits.ts'
import { openSocket } from './web-socket-transfer.ts'

/*
 * Opens a realtime session at a provider. Some providers accept any connection and report problems
 * only in the first event, so the session is open once that event has arrived.
 */

export type SessionLimits = FrameLimits & {
  readonly frameBytesMax: number
  /** Wait for the first event. A provider that sends none by then is considered ready. */
  readonly greetingMs: number
}

export type SessionCall = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Hidden from errors that repeat it. */
  readonly channelSecrets: UpstreamSecrets
  /** An established connection; null to open a new one. */
  readonly tunnel: Duplex | null
}

export type SessionOpening =
  | { type: 'open'; socket: FrameSocket }
  | { type: 'failed'; status: number; problem: UpstreamProblem }

type Limits = Pick<UpstreamLimits, 'connectMs' | 'errorBytesMax'> & SessionLimits

/** What a connection needs of its surroundings; tests replace parts. */
type Around = { readonly outgoing?: Outgoing; readonly clock?: Clock }

/** Switching Protocols: the status of an accepted WebSocket handshake. */
export const SWITCHING = 101

/** `connectMs` covers everything but the greeting, including reading the body of a refusal. */
export function openProviderSession(
  { url, headers, channelSecrets, tunnel }: SessionCall,
  limits: Limits,
  { outgoing = createOutgoing(), clock = systemClock }: Around = {},
): Promise<SessionOpening> {
  return new Promise((resolve) => {
    const opening = { url, headers, tunnel, bytesMax: limits.frameBytesMax }
    const socket = openSocket(opening, outgoing)
    if (typeof socket === 'string') return resolve(failedBy(socket))
    const deadline = clock.monotonic() + limits.connectMs
    const timer = clock.after(limits.connectMs, () => fail('connect_timeout'))
    const conclude = (opening: SessionOpening) => {
      timer.close()
      if (opening.type === 'failed') socket.terminate()
      resolve(opening)
    }
    const fail = (failure: TransportFailure) => conclude(failedBy(failure))
    socket.on('error', (error) => fail(failureOf(error)))
    socket.on('unexpected-response', (_request, response) => {
      timer.close()
      const msLeft = Math.max(1, deadline - clock.monotonic())
      void refusalOf(response, channelSecrets, { ...limits, msLeft, clock }).then(conclude)
    })
    socket.on('open', () => {
      timer.close()
      void greetingOf(new FrameSocket(socket, limits, clock), channelSecrets, limits).then(conclude)
    })
  })
}

const failedBy = (failure: TransportFailure): SessionOpening => ({
  type: 'failed',
  status: 0,
  problem: problemFromTransport(failure),
})

/** The first event stays queued for the reader of the session. */
async function greetingOf(
  socket: FrameSocket,
  channelSecrets: UpstreamSecrets,
  { greetingMs }: Limits,
): Promise<SessionOpening> {
  const first = await socket.awaitFirst(greetingMs)
  const failed = { type: 'failed', status: SWITCHING } as const
  if (first.type === 'closed') return { ...failed, problem: problemFromTransport('closed_early') }
  const event = first.type === 'frame' ? finish(readEvent(first.text)) : null
  if (event?.type !== 'error') return { type: 'open', socket }
  const problem = classifyUpstreamError({
    status: 200,
    headers: {},
    body: event.json,
    channelSecrets,
  })
  return { ...failed, problem }
}

/** Reads the body of a rejected handshake, up to `errorBytesMax`. */
function refusalOf(
  response: IncomingMessage,
  channelSecrets: UpstreamSecrets,
  {
    msLeft,
    errorBytesMax,
    clock,
  }: Pick<Limits, 'errorBytesMax'> & { msLeft: number; clock: Clock },
): Promise<SessionOpening> {
  return new Promise((resolve) => {
    const { statusCode: status = 0, headers } = response
    const chunks: Buffer[] = []
    let size = 0
    const conclude = () => {
      timer.close()
      const body = Buffer.concat(chunks)
      const failure = { status, headers, body, channelSecrets, now: clock.now() }
      const problem = classifyUpstreamError(failure)
      resolve({ type: 'failed', status, problem })
      response.destroy()
    }
    const timer = clock.after(msLeft, conclude)
    response.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > errorBytesMax) conclude()
      else chunks.push(chunk)
    })
    response.on('end', conclude).on('error', conclude).on('close', conclude)
  })
}

function failureOf(error: Error): TransportFailure {
  if (error instanceof AddressRefused) return failureOfRefusal(error)
  const code = 'code' in error ? String(error.code) : ''
  if (code === 'ECONNRESET') return 'reset'
  // The library's errors about an invalid handshake response have no code.
  return code === '' || code.startsWith('HPE_') || code.startsWith('WS_ERR_')
    ? 'malformed'
    : 'connect'
}
