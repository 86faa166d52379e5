import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { type Clock, systemClock } from '../clock.ts'
import { AddressRefused, createOutgoing, type Outgoing } from '../network/outgoing.ts'
import { serverNameFor, type HostPort, hostPortOf, withoutBrackets } from './host-port.ts'
import { connectThroughSocks, type Login, type SocksProxy } from './socks.ts'

const OK = 200

type Proxy = SocksProxy & { readonly protocol: string }

/**
 * Connects to an http, https, ws or wss URL through an http, https or socks5 proxy, with TLS if the
 * URL requires it. Resolves with null if that fails or takes too long. The caller owns the
 * connection.
 *
 * Rejects with `AddressRefused` if the proxy is forbidden or the target is a forbidden IP address.
 * A target's name is not resolved here: the proxy resolves it in its own network, where the result
 * may differ from ours.
 */
export async function openTunnel(
  { proxy, address }: { proxy: string; address: string },
  connectMs: number,
  {
    outgoing = createOutgoing(),
    clock = systemClock,
  }: { readonly outgoing?: Outgoing; readonly clock?: Clock } = {},
): Promise<Duplex | null> {
  const deadline = new AbortController()
  const timer = clock.after(connectMs, () => deadline.abort())
  try {
    const [resolvedProxy, target] = [
      { ...proxyAt(proxy), lookup: outgoing.lookup },
      hostPortOf(address),
    ]
    outgoing.check(resolvedProxy.host)
    outgoing.check(target.host)
    const socket = await connectThrough(resolvedProxy, target, deadline.signal)
    return target.isSecure ? await startTls(socket, target.host, deadline.signal) : socket
  } catch (error) {
    if (error instanceof AddressRefused) throw error
    return null
  } finally {
    timer.close()
  }
}

function proxyAt(address: string): Omit<Proxy, 'lookup'> {
  const { protocol, hostname, port, username, password } = new URL(address)
  const login = { name: decodeURIComponent(username), password: decodeURIComponent(password) }
  return {
    protocol,
    host: withoutBrackets(hostname),
    port: port === '' ? null : Number(port),
    login: username === '' && password === '' ? null : login,
  }
}

async function connectThrough(
  proxy: Proxy,
  target: HostPort,
  signal: AbortSignal,
): Promise<Socket> {
  const socket =
    proxy.protocol === 'socks5:'
      ? await connectThroughSocks(proxy, target, signal)
      : await connectThroughHttp(proxy, target, signal)
  // The socket may break before the caller listens; the caller then finds it destroyed.
  socket.on('error', () => {})
  return socket
}

async function connectThroughHttp(
  { protocol, host, port, login, lookup }: Proxy,
  target: HostPort,
  signal: AbortSignal,
): Promise<Socket> {
  if (!/^https?:$/.test(protocol)) throw new Error('the protocol of the proxy is not supported')
  const path = `${isIP(target.host) === 6 ? `[${target.host}]` : target.host}:${target.port}`
  const request = (protocol === 'https:' ? httpsRequest : httpRequest)({
    host,
    lookup,
    port: port ?? undefined,
    method: 'CONNECT',
    path,
    agent: false,
    signal,
    // Otherwise the TLS server name would be the host in the headers.
    servername: serverNameFor(host),
    headers: { host: path, ...(login === null ? {} : { 'proxy-authorization': basic(login) }) },
  })
  return new Promise((resolve, reject) => {
    request.on('connect', ({ statusCode }, socket, head: Buffer) => {
      if (statusCode !== OK) {
        socket.destroy()
        return reject(new Error(`the proxy answered ${statusCode}`))
      }
      if (head.length > 0) socket.unshift(head)
      resolve(socket)
    })
    request.on('response', (response) => response.destroy())
    request.on('error', reject)
    request.on('close', () => reject(new Error('the proxy hung up')))
    request.end()
  })
}

const basic = ({ name, password }: Login) =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`

async function startTls(socket: Socket, host: string, signal: AbortSignal): Promise<Socket> {
  const tlsSocket = connectTls({
    socket,
    host,
    servername: serverNameFor(host),
    ALPNProtocols: ['http/1.1'],
  })
  tlsSocket.on('error', () => {})
  try {
    await once(tlsSocket, 'secureConnect', { signal })
  } catch (error) {
    tlsSocket.destroy()
    socket.destroy()
    throw error
  }
  return tlsSocket
}
