import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'

const OK = 200

/** A connection to where the address points, through a proxy of http or https; null when there is none to be had. */
export function openTunnel(
  proxy: string,
  address: string,
  connectMs: number,
): Promise<Duplex | null> {
  const { protocol, username, password, hostname: host, port } = new URL(proxy)
  if (!/^https?:$/.test(protocol)) return Promise.resolve(null)
  const target = new URL(address)
  const isSecure = target.protocol === 'wss:'
  const path = `${target.hostname}:${target.port || (isSecure ? 443 : 80)}`
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const request = (protocol === 'https:' ? httpsRequest : httpRequest)({
    host,
    port: port || undefined,
    method: 'CONNECT',
    path,
    agent: false,
    headers: {
      host: path,
      ...(username === ''
        ? {}
        : { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` }),
    },
  })
  const late = setTimeout(() => request.destroy(), connectMs)
  return new Promise((resolve) => {
    request.on('close', () => {
      clearTimeout(late)
      resolve(null)
    })
    request.on('connect', ({ statusCode }, socket) => {
      clearTimeout(late)
      if (statusCode !== OK) {
        socket.destroy()
        return resolve(null)
      }
      resolve(isSecure ? connectTls({ socket, ...named(target.hostname) }) : socket)
    })
    request.on('response', (response) => response.destroy())
    // It is closed next.
    request.on('error', () => {})
    request.end()
  })
}

/** An address is no name to ask a certificate for. */
const named = (host: string) => (isIP(host) === 0 ? { servername: host } : { host })
