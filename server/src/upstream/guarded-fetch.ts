import type { Dispatcher } from 'undici'
import { AddressRefused, createOutgoing, type OutgoingDeps } from '../network/outgoing.ts'

/*
 * The only way to fetch a URL that a user supplied. `network/outgoing.ts` checks every hop, so
 * neither redirects nor DNS rebinding lead into a private network.
 */

export type Fetched = { bytes: Buffer; type: string }

/** Why a fetch failed; the message may be shown to the user who supplied the URL. */
export class FetchRefused extends Error {
  override readonly name = 'FetchRefused'
}

export type GuardedFetch = (url: string) => Promise<Fetched>

const HOPS_MAX = 4
const FETCH_MS = 10_000
const BYTES_MAX = 20 * 1024 * 1024
const REDIRECTS = new Set([301, 302, 303, 307, 308])

export function createGuardedFetch({
  bytesMax = BYTES_MAX,
  fetchMs = FETCH_MS,
  ...deps
}: Pick<OutgoingDeps, 'privateNetworks' | 'lookup'> & {
  bytesMax?: number
  fetchMs?: number
} = {}): GuardedFetch {
  // Users may never reach private networks, even if the option allows them for channels.
  const outgoing = createOutgoing({ ...deps, allowsPrivate: () => false, isStrict: true })
  const hop = async (url: URL, signal: AbortSignal) => {
    outgoing.check(url.hostname)
    // Loaded here, because it takes 6 MB and most processes never use it.
    const { Agent, request } = await import('undici')
    const agent = new Agent({
      connect: { lookup: outgoing.lookup, timeout: fetchMs },
      maxResponseSize: bytesMax,
    })
    try {
      return await readAnswer(await request(url, { dispatcher: agent, signal, headers: HEADERS }))
    } finally {
      void agent.destroy()
    }
  }
  return async (given) => {
    const signal = AbortSignal.timeout(fetchMs)
    let url = parse(given)
    for (let hops = 1; ; hops += 1) {
      const answer = await hop(url, signal).catch((error: unknown) => {
        throw toFetchRefused(error, { signal, bytesMax })
      })
      if (answer.type !== 'redirect') return answer.fetched
      if (hops === HOPS_MAX) throw new FetchRefused('it redirects too often')
      url = parse(answer.location, url)
    }
  }
}

const HEADERS = {
  accept: 'image/*',
  'accept-encoding': 'identity',
  'user-agent': 'Tollgate',
}

type HopAnswer = { type: 'fetched'; fetched: Fetched } | { type: 'redirect'; location: string }

async function readAnswer(answer: Dispatcher.ResponseData): Promise<HopAnswer> {
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

function toFetchRefused(
  error: unknown,
  { signal, bytesMax }: { signal: AbortSignal; bytesMax: number },
) {
  if (error instanceof FetchRefused) return error
  if (error instanceof AddressRefused) return new FetchRefused('its address is not a public one')
  if (signal.aborted) return new FetchRefused('its server took too long')
  const code = error instanceof Error && 'code' in error ? error.code : ''
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') {
    return new FetchRefused(`it has more than ${bytesMax} bytes`)
  }
  if (code === 'ENOTFOUND') return new FetchRefused('its host has no address')
  return new FetchRefused('its server could not be reached')
}
