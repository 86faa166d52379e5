import { connect, type LookupFunction } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import type { TransportFailure } from '@tollgate/relay'
import { AddressRefused, type Outgoing } from '../../network/outgoing.ts'
import { failureOfRefusal, REFUSAL_FAILURES } from '../address-refusal.ts'
import { serverNameFor, targetAt } from '../target.ts'
import { openTunnel } from '../tunnel.ts'
import type { HttpRequest } from './http-exchange.ts'

/** As many bytes as are read of a socket at once. */
const READ_BYTES = 64 * 1024
const KEEP_ALIVE_PROBE_MS = 60_000

export type SocketEvents = {
  /** It may be written to. */
  opened: (socket: Duplex) => void
  /** Bytes that belong to whoever hears of them. */
  received: (bytes: Buffer) => void
  /** The other side has said all it will. */
  ended: () => void
  /** It is gone, or never opened; may be told more than once. */
  closed: () => void
  /** It was not opened, as its address may not be connected to. */
  refused: (failure: TransportFailure) => void
}

/** Begins to connect; what it gives back ends that. Throws when there is nothing to connect to. */
export type OpenSocket = (events: SocketEvents) => { destroy: () => void }

/** To an address like `https://host:port`, through a proxy unless that is null. */
export function socketOpener(
  { origin, proxy }: Pick<HttpRequest, 'origin' | 'proxy'>,
  connectMs: number,
  outgoing: Outgoing,
): OpenSocket {
  return proxy === null
    ? directOpener(origin, outgoing)
    : tunnelOpener({ proxy, address: origin }, connectMs, outgoing)
}

function tunnelOpener(
  way: { proxy: string; address: string },
  connectMs: number,
  outgoing: Outgoing,
): OpenSocket {
  return (events) => {
    let isWanted = true
    const use = (socket: Duplex | null) => {
      if (!isWanted) socket?.destroy()
      else if (socket === null || socket.destroyed) events.closed()
      else {
        listenTo(socket, events).on('data', (bytes: Buffer) => events.received(bytes))
        events.opened(socket)
      }
    }
    const refuse = (error: unknown) => {
      if (isWanted) events.refused(failureOfRefusal(error))
    }
    openTunnel(way, connectMs, outgoing).then(use, refuse)
    return { destroy: () => void (isWanted = false) }
  }
}

/** What comes by plain TCP is read into one place for all sockets, and copied from there at its own size. */
const READ_BUFFER = Buffer.allocUnsafeSlow(READ_BYTES)

function directOpener(origin: string, outgoing: Outgoing): OpenSocket {
  const { isSecure, host, port } = targetAt(origin)
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
    // Whoever opens it hears of that only when it has what this gives back.
    let isWanted = true
    queueMicrotask(() => {
      if (isWanted) events.refused(REFUSAL_FAILURES[refusal])
    })
    return { destroy: () => void (isWanted = false) }
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
    const callback = (length: number, buffer: Uint8Array) => {
      events.received(Buffer.from(buffer.subarray(0, length)))
      return true
    }
    const onread = { buffer: READ_BUFFER, callback }
    const socket = connect({ ...socketOptions, onread })
    socket.once('connect', () => events.opened(socket))
    return listenTo(socket, events)
  }
}

/** What comes is read as TLS hands it on. A session is taken up again, which spares the other side the proof of who it is. */
function tlsOpener(options: SocketOptions): OpenSocket {
  let session: Buffer | undefined
  const servername = serverNameFor(options.host)
  return (events) => {
    const socket = connectTls({
      ...options,
      servername,
      ALPNProtocols: ['http/1.1'],
      ...(session && { session }),
    })
    socket.on('session', (newest) => {
      session = newest
    })
    socket.once('secureConnect', () => events.opened(socket))
    socket.on('data', (bytes: Buffer) => events.received(bytes))
    return listenTo(socket, events)
  }
}

function listenTo(socket: Duplex, events: SocketEvents): Duplex {
  // It is closed next, for whatever else went wrong.
  socket.on('error', (error) => {
    if (error instanceof AddressRefused) events.refused(failureOfRefusal(error))
  })
  socket.on('end', () => events.ended())
  socket.on('close', () => events.closed())
  return socket
}
