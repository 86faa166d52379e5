import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { text } from 'node:stream/consumers'
import { portOf } from '../harness/port-of.ts'
import { openTestTls } from '../harness/tls.ts'

export type HttpsRequest = {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingHttpHeaders
  body: string
}

/** A response; an object body is sent as JSON. */
export type HttpsAnswer = {
  status?: number
  headers?: Record<string, string>
  body?: string | Buffer | object
}

/**
 * A function may write the response itself and return undefined. A response that it never ends
 * hangs.
 */
export type HttpsRoute =
  | HttpsAnswer
  | ((
      request: HttpsRequest,
      response: ServerResponse,
    ) => HttpsAnswer | undefined | Promise<HttpsAnswer | undefined>)

export type HttpsServer = Awaited<ReturnType<typeof openHttpsServer>>

/** A scripted HTTPS server on 127.0.0.1; paths without a route answer 404. */
export async function openHttpsServer(
  routes: Record<string, HttpsRoute> = {},
  { isTrusted = true } = {},
) {
  const tls = await openTestTls()
  const { key, cert } = isTrusted ? tls : tls.untrusted
  const answers = new Map(Object.entries(routes))
  const requests: HttpsRequest[] = []
  const server = createServer({ key, cert }, (incoming, response) => {
    void respond(incoming, response, { answers, requests })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `https://127.0.0.1:${portOf(server)}`,
    requests,
    requestsTo: (path: string) => requests.filter((request) => request.path === path),
    route: (path: string, route: HttpsRoute) => void answers.set(path, route),
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function respond(
  incoming: IncomingMessage,
  response: ServerResponse,
  { answers, requests }: { answers: Map<string, HttpsRoute>; requests: HttpsRequest[] },
) {
  const { pathname, searchParams } = new URL(incoming.url ?? '/', 'https://localhost')
  const request = {
    method: incoming.method ?? '',
    path: pathname,
    query: searchParams,
    headers: incoming.headers,
    body: await text(incoming),
  }
  requests.push(request)
  const route: HttpsRoute = answers.get(pathname) ?? { status: 404, body: { error: 'not_found' } }
  const answer = typeof route === 'function' ? await route(request, response) : route
  if (answer === undefined) return
  const { status = 200, headers = {}, body = '' } = answer
  const isJson = typeof body === 'object' && !Buffer.isBuffer(body)
  response.writeHead(status, { ...(isJson && { 'content-type': 'application/json' }), ...headers })
  response.end(isJson ? JSON.stringify(body) : body)
}
