import { timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { ClusterRegistry, Registry } from '@prometheus-io/client'
import { ConfigurationError, type Env } from '../process/env.ts'

const BEARER = /^Bearer +(?<token>\S+) *$/i

type MetricsServerDeps = {
  env: Pick<Env, 'METRICS_TOKEN' | 'HOST'>
  port: number
  scrape: () => Promise<string>
}

/**
 * Serves `/metrics` on its own port, so that a proxy of the public port cannot expose it. Asks for
 * the token if there is one.
 */
export async function serveMetrics({ env, port, scrape }: MetricsServerDeps): Promise<Server> {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })

  async function answer(request: IncomingMessage, response: ServerResponse) {
    if (request.url?.split('?')[0] !== '/metrics') return send(response, 404, 'not found\n')
    if (!hasToken(request, env.METRICS_TOKEN)) {
      response.setHeader('www-authenticate', 'Bearer')
      return send(response, 401, 'METRICS_TOKEN is required as a bearer token\n')
    }
    response.setHeader('content-type', Registry.PROMETHEUS_CONTENT_TYPE)
    return send(response, 200, await scrape())
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        new ConfigurationError(`METRICS_PORT ${port} cannot be listened on: ${error.message}.`),
      ),
    )
    server.listen(port, env.HOST, resolve)
  })
  // Metrics do not keep a stopping process alive.
  server.unref()
  return server
}

/** A scrape of all worker processes; call it in their parent. */
export function createClusterScrape(): () => Promise<string> {
  const workers = new ClusterRegistry()
  return () => workers.clusterMetrics()
}

function hasToken(request: IncomingMessage, token: string | undefined): boolean {
  if (token === undefined) return true
  const given = BEARER.exec(request.headers.authorization ?? '')?.groups?.['token'] ?? ''
  const [expected, actual] = [Buffer.from(token), Buffer.from(given)]
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}

function send(response: ServerResponse, status: number, text: string) {
  response.writeHead(status, { 'cache-control': 'no-store' }).end(text)
}
