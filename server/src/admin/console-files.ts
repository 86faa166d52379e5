import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendUnknownPath } from '../http/errors.ts'

const INDEX = 'index.html'
const HINT =
  'Tollgate is running, but its console has not been built. Run "npm start" to build it.\n'

/** Names of static files contain a content hash. */
const STATIC_CACHE = 'public, max-age=604800, immutable'

/**
 * Paths that health checks and metrics collectors try. The page would look like a healthy answer.
 */
const PROBE_PATHS =
  /^\/(?:health|healthz|livez|readyz|ready|readiness|liveness|metrics|ping|status)(?:\/|$)/
const API_PATHS = /^\/(?:api|v1|static)(?:\/|$)/

/** Serves the built console: its files, and the single page for every other path. */
export async function serveConsole(
  app: FastifyInstance,
  { consoleDir, basePath }: { consoleDir: string; basePath: string },
) {
  const files = topLevelFiles(consoleDir)
  const page = basePath === '' ? null : pageUnder(consoleDir, files, basePath)
  await app.register(fastifyStatic, {
    root: consoleDir,
    serve: false,
    cacheControl: false,
    preCompressed: true,
  })

  app.get('/static/*', (request, reply) => {
    const path = pathOf(request)
    if (path.includes('..')) return reply.callNotFound()
    reply.header('Cache-Control', STATIC_CACHE)
    return reply.sendFile(path.slice(1))
  })
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request)
    const isPage = request.method === 'GET' || request.method === 'HEAD'
    // Browsers must not cache the absence of a file.
    reply.header('Cache-Control', 'no-cache')
    if (!isPage || API_PATHS.test(path) || PROBE_PATHS.test(path)) {
      return sendUnknownPath(request, reply)
    }
    return sendPage(reply, { files, page }, path.slice(1))
  })
}

type Pages = { readonly files: ReadonlySet<string>; readonly page: string | null }

function sendPage(reply: FastifyReply, { files, page }: Pages, name: string) {
  if (files.has(name) && name !== INDEX) return reply.sendFile(name)
  if (page !== null) return reply.type('text/html; charset=utf-8').send(page)
  if (files.has(INDEX)) return reply.sendFile(INDEX)
  return reply.type('text/plain; charset=utf-8').send(HINT)
}

/** The page with the paths of its files as browsers see them, and the path for its scripts. */
function pageUnder(folder: string, files: ReadonlySet<string>, basePath: string): string | null {
  if (!files.has(INDEX)) return null
  return readFileSync(join(folder, INDEX), 'utf8')
    .replaceAll(/(?<=(?:src|href)=")\//g, `${basePath}/`)
    .replace('<head>', `<head>\n    <meta name="base-path" content="${basePath}" />`)
}

const pathOf = (request: FastifyRequest) => request.url.split('?')[0] ?? ''

function topLevelFiles(consoleDir: string): ReadonlySet<string> {
  try {
    const entries = readdirSync(join(consoleDir), { withFileTypes: true })
    return new Set(entries.filter((entry) => entry.isFile()).map((entry) => entry.name))
  } catch {
    return new Set()
  }
}
