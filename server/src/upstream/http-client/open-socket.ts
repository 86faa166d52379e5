import { connect, type LookupFunction, type OnReadOpts } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import type { TransportFailure } from '@tollgate/relay'
import type { Clock } from '../../clock.ts'
import { AddressRefused, type Outgoing } from '../../network/outgoing.ts'
import { failureOfRefusal, REFUSAL_FAILURES } from '../address-refusal.ts'
import { serverNameFor, hostPortOf } from '../host-port.ts'
import { openTunnel } from '../tunnel.ts'
import type { HttpRequest } from './http-exchange.ts'

const READ_BYTES = 64 * 1024
const KEEP_ALIVE_PROBE_MS = 60_000

export type SocketEvents = {
  opened: (socket: Duplex) => void
  /** The receiver owns the bytes. */
  received: (bytes: Buffer) => void
  /** The first `length` bytes were received; they are overwritten after the call. */
  lent: (bytes: Buffer, length: number) => void
  /** The peer has half-closed the connection. */
  ended: () => void
  /** The connection was closed or never opened; may be called more than once. */
  closed: () => void
  /** Not opened, because its address is forbidden. */
  refused: (failure: TransportFailure) => void
}

/** Starts to connect and returns a handle that cancels it. Throws on an invalid address. */
export type OpenSocket = (events: SocketEvents) => { destroy: () => void }

type OpenerDeps = {
  readonly connectMs: number
  readonly outgoing: Outgoing
  readonly clock: Clock
}

/** Connects to an origin like `https://host:port`; directly if `proxy` is null. */
export function socketOpener(
  { origin, proxy }: Pick<HttpRequest, 'origin' | 'proxy'>,
  { connectMs, outgoing, clock }: OpenerDeps,
): OpenSocket {
  return proxy === null
    ? directOpener(origin, outgoing)
    : tunnelOpener({ proxy, address: origin }, { connectMs, outgoing, clock })
}

function tunnelOpener(
  route: { proxy: string; address: string },
  { connectMs, outgoing, clock }: OpenerDeps,
): OpenSocket {
  return (events) => {
    let isPending = true
    const use = (socket: Duplex | null) => {
      if (!isPending) socket?.destroy()
      else if (socket === null || socket.destroyed) events.closed()
      else {
        listenTo(socket, events).on('data', (bytes: Buffer) => events.received(bytes))
        events.opened(socket)
      }
    }
    const refuse = (error: unknown) => {
      if (isPending) events.refused(failureOfRefusal(error))
    }
    openTunnel(route, connectMs, { outgoing, clock }).then(use, refuse)
    return { destroy: () => void (isPending = false) }
  }
}

/** Shared read buffer of all direct connections; its bytes are lent to their receiver. */
const READ_BUFFER = Buffer.allocUnsafeSlow(READ_BYTES)

function lendingTo(events: SocketEvents): { onread: OnReadOpts } {
  const callback = (length: number) => {
    events.lent(READ_BUFFER, length)
    return true
  }
  return { onread: { buffer: READ_BUFFER, callback } }
}

function directOpener(origin: string, outgoing: Outgoing): OpenSocket {
  const { isSecure, host, port } = hostPortOf(origin)
  const socketOptions = {
    host,
    port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS,
    lookup: outgoing.lookup,
  }
  const open = isSecure ? tlsOpener(socketOptions) : plainOpener(socketOptions)
  return (events) => {
    const refusal = outgoing.refusalOf(host)
    if (refusal === null) return open(events)
    // Deferred, because the caller can handle it only after it has the returned handle.
    let isPending = true
    queueMicrotask(() => {
      if (isPending) events.refused(REFUSAL_FAILURES[refusal])
    })
    return { destroy: () => void (isPending = false) }
  }
}

type SocketOptions = {
  host: string
  port: number
  noDelay: boolean
  keepAlive: boolean
  keepAliveInitialDelay: number
  lookup: LookupFunction
}

function plainOpener(socketOptions: SocketOptions): OpenSocket {
  return (events) => {
    const socket = connect({ ...socketOptions, ...lendingTo(events) })
    socket.once('connect', () => events.opened(socket))
    return listenTo(socket, events)
  }
}

/** Resumes TLS sessions, which spares the certificate exchange. */
function tlsOpener(options: SocketOptions): OpenSocket {
  let session: Buffer | undefined
  const servername = serverNameFor(options.host)
  return (events) => {
    const socket = connectTls({
      ...options,
      ...lendingTo(events),
      servername,
      ALPNProtocols: ['http/1.1'],
      ...(session && { session }),
    })
    socket.on('session', (newest) => {
      session = newest
    })
    socket.once('secureConnect', () => events.opened(socket))
    return listenTo(socket, events)
  }
}

function listenTo(socket: Duplex, events: SocketEvents): Duplex {
  // The `close` event follows every error.
  socket.on('error', (error) => {
    if (error instanceof AddressRefused) events.refused(failureOfRefusal(error))
  })
  socket.on('end', () => events.ended())
  socket.on('close', () => events.closed())
  return socket
}
