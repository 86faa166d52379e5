import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sendUnknownPath } from '../http/errors.ts'
import { readSessionId } from '../http/session.ts'
import { type ConsolePage, createConsolePage, type Site } from './console-page.ts'

const INDEX = 'index.html'
const HINT =
  'Tollgate is running, but its console has not been built. Run "npm start" to build it.\n'

/** Names of static files contain a content hash. */
const STATIC_CACHE = 'public, max-age=604800, immutable'
/** The page shows the logo three times; each check of a copy would be a request and a new image. */
const FIXED_NAME_CACHE = 'public, max-age=3600'

/**
 * Paths that health checks and metrics collectors try, also misspelt. The page would look like a
 * healthy answer; other paths are the page, as in One API.
 */
const PROBE_PATHS =
  /^\/+(?:_?health(?:z|check|y)?|actuator|live(?:z|ness)?|alive|ready(?:z)?|readiness|startup(?:z)?|metrics|ping|status|up)(?:\/|$)/i
const API_PATHS = /^\/(?:api|v1|static)(?:\/|$)/

type Settings = { consoleDir: string; basePath: string; site: () => Site }

/** Serves the built console: its files, and the single page for every other path. */
export async function serveConsole(app: FastifyInstance, { consoleDir, basePath, site }: Settings) {
  const built = readBuild(consoleDir, basePath)
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
    const { files, page } = built()
    const name = path.slice(1)
    if (files.has(name) && name !== INDEX) {
      return reply.header('Cache-Control', FIXED_NAME_CACHE).sendFile(name)
    }
    if (page === null) return reply.type('text/plain; charset=utf-8').send(HINT)
    const isSignedIn = readSessionId(request) !== null
    const html = page({ pathname: path, isSignedIn, site: site() })
    const etag = `W/"${createHash('sha256').update(html).digest('base64url')}"`
    reply.header('ETag', etag)
    if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
    return reply.type('text/html; charset=utf-8').send(html)
  })
}

type Build = { files: ReadonlySet<string>; page: ConsolePage | null; mtimeMs: number | undefined }

/** Reads the console again after a new build, whose files have other names. */
function readBuild(consoleDir: string, basePath: string): () => Build {
  const index = join(consoleDir, INDEX)
  let build: Build = { files: new Set(), page: null, mtimeMs: undefined }
  return () => {
    const mtimeMs = statSync(index, { throwIfNoEntry: false })?.mtimeMs
    // A build that is just being replaced is missing for a moment.
    if (mtimeMs === undefined || mtimeMs === build.mtimeMs) return build
    const page = createConsolePage(consoleDir, readFileSync(index, 'utf8'), basePath)
    build = { files: topLevelFiles(consoleDir), page, mtimeMs }
    return build
  }
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
