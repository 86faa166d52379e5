import type { IncomingHttpHeaders } from 'node:http'
import ipaddr from 'ipaddr.js'
import { isInRanges } from '../domain/ip-ranges.ts'

/** Of a request, what tells where it comes from. */
export type Addressed = {
  readonly headers: IncomingHttpHeaders
  readonly socket: { readonly remoteAddress?: string | undefined }
}

export type ClientAddress = {
  /** Who called: the last address of X-Forwarded-For that no trusted proxy vouches for as its own. */
  read: (request: Addressed) => string
  /** Whether the client's own connection was encrypted, as far as can be known: pages of https ask by nothing else. */
  isSecure: (request: Addressed) => boolean
  /** Whether the client is on this machine or on a private network, as far as can be known. */
  isNear: (request: Addressed) => boolean
  /** The host names the client may have typed: what we see, and what a trusted proxy has seen. */
  hosts: (request: Addressed) => string[]
  /** The most likely one of them: what a trusted proxy has seen, else what we see. */
  host: (request: Addressed) => string
}

/** Forwarding headers count only when the connection itself comes from a trusted proxy. */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const trusted = trustedProxies.join(',')
  const isProxied = (request: Addressed) =>
    trusted !== '' && isInRanges(request.socket.remoteAddress ?? '', trusted)
  const read = (request: Addressed) => {
    const direct = request.socket.remoteAddress ?? ''
    if (!isProxied(request)) return direct
    const hops = headerList(request, 'x-forwarded-for').map(withoutPort)
    // Before a hop that is no address the client may have written anything.
    const known = hops.slice(hops.findLastIndex((hop) => !ipaddr.isValid(hop)) + 1)
    return known.findLast((hop) => !isInRanges(hop, trusted)) ?? known[0] ?? direct
  }
  const forwardedHost = (request: Addressed) =>
    isProxied(request) ? headerList(request, 'x-forwarded-host').slice(-1) : []
  return {
    read,
    isNear: (request) => {
      const isForwarded = FORWARDING_HEADERS.some((name) => request.headers[name] !== undefined)
      // A proxy on this machine that is not trusted hides where its client is.
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

/** Headers by which proxies tell that a request is not their own. */
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

/** Loopback, private (RFC 1918, RFC 4193) and link-local ranges, by the library's names for them. */
const NEAR_RANGES = new Set(['loopback', 'private', 'uniqueLocal', 'linkLocal'])

const isNearAddress = (address: string): boolean =>
  ipaddr.isValid(address) && NEAR_RANGES.has(ipaddr.process(address).range())

/** Some proxies write where a connection came from as `a.b.c.d:port` or `[v6]:port`. */
const withoutPort = (hop: string) =>
  hop.replace(/^([\d.]+):\d+$/, '$1').replace(/^\[(.+)\](?::\d+)?$/, '$1')

function headerList(request: Addressed, name: string): string[] {
  return String(request.headers[name] ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}
