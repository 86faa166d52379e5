import { lookup as resolveName } from 'node:dns'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { Agent, request } from 'undici'
import { isInRanges } from '../domain/ip-ranges.ts'
import { withoutBrackets } from './target.ts'

/*
 * The one way to an address that came from a user. A name is resolved here, every address it has is
 * checked, and the connection goes to one that was checked: on every hop, so that neither a redirect nor
 * a name that changes its address in between leads into a private network.
 */

export type Fetched = { bytes: Buffer; type: string }

/** Why there is nothing; the message is fit for whoever gave the address. */
export class FetchRefused extends Error {
  override readonly name = 'FetchRefused'
}

export type GuardedFetch = (url: string) => Promise<Fetched>

const HOPS_MAX = 4
const FETCH_MS = 10_000
const BYTES_MAX = 20 * 1024 * 1024
const REDIRECTS = new Set([301, 302, 303, 307, 308])

export function createGuardedFetch({
  privateNetworks = [],
  bytesMax = BYTES_MAX,
  fetchMs = FETCH_MS,
  lookup = resolveName,
}: {
  /** Inside private ranges, and allowed all the same. */
  privateNetworks?: readonly string[]
  bytesMax?: number
  fetchMs?: number
  lookup?: LookupFunction
} = {}): GuardedFetch {
  const allowed = privateNetworks.join(',')
  const isAllowed = (address: string) => isPublic(address) || isInRanges(address, allowed)
  const hop = async (url: URL, signal: AbortSignal) => {
    const guard = guardedLookup(lookup, isAllowed)
    const bareHost = withoutBrackets(url.hostname)
    // An address that stands in the URL itself is never looked up.
    if (ipaddr.isValid(bareHost) && !isAllowed(bareHost)) throw privateAddress()
    const agent = new Agent({
      connect: { lookup: guard, timeout: fetchMs },
      maxResponseSize: bytesMax,
    })
    try {
      return await readAnswer(url, agent, signal)
    } finally {
      void agent.destroy()
    }
  }
  return async (given) => {
    const signal = AbortSignal.timeout(fetchMs)
    let url = parse(given)
    for (let hops = 1; ; hops += 1) {
      const answer = await hop(url, signal).catch((error: unknown) => {
        throw nameOf(error, { signal, bytesMax })
      })
      if (answer.type !== 'redirect') return answer.fetched
      if (hops === HOPS_MAX) throw new FetchRefused('it redirects too often')
      url = parse(answer.location, url)
    }
  }
}

type HopAnswer = { type: 'fetched'; fetched: Fetched } | { type: 'redirect'; location: string }

async function readAnswer(url: URL, dispatcher: Agent, signal: AbortSignal): Promise<HopAnswer> {
  const headers = { accept: 'image/*', 'accept-encoding': 'identity', 'user-agent': 'Tollgate' }
  const answer = await request(url, { dispatcher, signal, headers })
  const { statusCode: status } = answer
  const header = (name: string) => String(answer.headers[name] ?? '')
  if (REDIRECTS.has(status)) return { type: 'redirect', location: header('location') }
  if (status !== 200) throw new FetchRefused(`its server answered with status ${status}`)
  const bytes = Buffer.from(await answer.body.arrayBuffer())
  const [type = ''] = header('content-type').toLowerCase().split(';')
  return { type: 'fetched', fetched: { bytes, type: type.trim() } }
}

function parse(text: string, base?: URL): URL {
  const url = URL.canParse(text, base?.href) ? new URL(text, base) : null
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new FetchRefused('it must begin with http:// or https://')
  }
  if (url.username !== '' || url.password !== '') {
    throw new FetchRefused('it must not hold a user name or a password')
  }
  return url
}

/** Of all that a name leads to nothing may be private: which of them is taken is not ours to choose. */
function guardedLookup(lookup: LookupFunction, isAllowed: (address: string) => boolean) {
  const guarded: LookupFunction = (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, found) => {
      const all = Array.isArray(found) ? found : []
      if (error !== null || all.length === 0) return callback(error ?? notFound(), [])
      if (!all.every(({ address }) => isAllowed(address))) return callback(privateAddress(), [])
      if (options.all === true) return callback(null, all)
      const [first] = all
      if (first !== undefined) callback(null, first.address, first.family)
    })
  }
  return guarded
}

/** IPv4 addresses in a form that is no longer in use (RFC 4291 2.5.5.1). */
const IPV4_COMPATIBLE = '::/96'

/** Neither private nor local nor reserved; an IPv4 address within IPv6 counts as what it is. */
function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  return ipaddr.process(address).range() === 'unicast' && !isInRanges(address, IPV4_COMPATIBLE)
}

const privateAddress = () => new FetchRefused('its address is not a public one')
const notFound = () => new FetchRefused('its host has no address')

function nameOf(error: unknown, { signal, bytesMax }: { signal: AbortSignal; bytesMax: number }) {
  if (error instanceof FetchRefused) return error
  if (signal.aborted) return new FetchRefused('its server took too long')
  const code = error instanceof Error && 'code' in error ? error.code : ''
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') {
    return new FetchRefused(`it has more than ${bytesMax} bytes`)
  }
  if (code === 'ENOTFOUND') return notFound()
  return new FetchRefused('its server could not be reached')
}
