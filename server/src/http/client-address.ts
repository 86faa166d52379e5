import type { IncomingHttpHeaders } from 'node:http'
import ipaddr from 'ipaddr.js'
import { isWithin, readRanges } from '../network/ip-ranges.ts'

export type RequestSource = {
  readonly headers: IncomingHttpHeaders
  readonly socket: { readonly remoteAddress?: string | undefined }
}

export type ClientAddress = {
  /** The client's address: the last one in X-Forwarded-For that is not a trusted proxy. */
  read: (request: RequestSource) => string
  /**
   * Whether the client's own connection was encrypted, as far as known. An https page sends
   * requests over TLS only.
   */
  isSecure: (request: RequestSource) => boolean
  /** Whether the client is on this machine or in a private network, as far as known. */
  isNear: (request: RequestSource) => boolean
  /** Host names the client may have used: the Host header, and the host seen by a trusted proxy. */
  hosts: (request: RequestSource) => string[]
  /** The most likely host: the one seen by a trusted proxy, else the Host header. */
  host: (request: RequestSource) => string
}

/** Forwarding headers are used only if the connection comes from a trusted proxy. */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const trusted = readRanges(trustedProxies)
  const isTrusted = (address: string) =>
    trusted.length > 0 && ipaddr.isValid(address) && isWithin(ipaddr.process(address), trusted)
  const isProxied = (request: RequestSource) => isTrusted(request.socket.remoteAddress ?? '')
  const read = (request: RequestSource) => {
    const direct = request.socket.remoteAddress ?? ''
    if (!isProxied(request)) return direct
    const hops = headerList(request, 'x-forwarded-for').map(withoutPort)
    // The client may have forged everything before a hop that is not an address.
    const known = hops.slice(hops.findLastIndex((hop) => !ipaddr.isValid(hop)) + 1)
    return known.findLast((hop) => !isTrusted(hop)) ?? known[0] ?? direct
  }
  const forwardedHost = (request: RequestSource) =>
    isProxied(request) ? headerList(request, 'x-forwarded-host').slice(-1) : []
  return {
    read,
    isNear: (request) => {
      const isForwarded = FORWARDING_HEADERS.some((name) => request.headers[name] !== undefined)
      // An untrusted proxy on this machine hides the client's address.
      return (!isForwarded || isProxied(request)) && isNearAddress(read(request))
    },
    isSecure: (request) =>
      'encrypted' in request.socket ||
      request.headers.origin?.startsWith('https://') === true ||
      (isProxied(request) && headerList(request, 'x-forwarded-proto').at(-1) === 'https'),
    hosts: (request) => [...headerList(request, 'host'), ...forwardedHost(request)],
    host: (request) => forwardedHost(request)[0] ?? request.headers.host ?? '',
  }
}

const FORWARDING_HEADERS = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'x-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
]

/** Loopback, private (RFC 1918, RFC 4193) and link-local ranges, by the names of ipaddr.js. */
const NEAR_RANGES = new Set(['loopback', 'private', 'uniqueLocal', 'linkLocal'])

const isNearAddress = (address: string): boolean =>
  ipaddr.isValid(address) && NEAR_RANGES.has(ipaddr.process(address).range())

/** Some proxies append the port: `a.b.c.d:port` or `[v6]:port`. */
const withoutPort = (hop: string) =>
  hop.replace(/^([\d.]+):\d+$/, '$1').replace(/^\[(.+)\](?::\d+)?$/, '$1')

function headerList(request: RequestSource, name: string): string[] {
  return String(request.headers[name] ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}
