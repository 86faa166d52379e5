import type { FastifyInstance } from 'fastify'
import type { Language } from '@tollgate/contract'
import { readLanguage } from '../../http/errors.ts'
import { createOpenApi } from './openapi.ts'
import { createPage } from './page.ts'

const CACHE = 'public, max-age=300'

/**
 * Serves the API document as JSON and HTML. The routes are not in the endpoint table because their
 * responses have no envelope. Both are built on first request and kept.
 */
export function serveApiDocument(app: FastifyInstance, version: string) {
  const { basePath } = app
  /** Both name addresses of this server: the base of all calls, and the JSON document. */
  const underBasePath = (text: string) => text.replaceAll(/(?<="url":"|href=")\//g, `${basePath}/`)
  let openApi: string | undefined
  const pages: Partial<Record<Language, string>> = {}
  app.get('/api/openapi.json', (_request, reply) => {
    openApi ??= underBasePath(JSON.stringify(createOpenApi(version)))
    return reply
      .header('Cache-Control', CACHE)
      .type('application/json; charset=utf-8')
      .send(openApi)
  })
  app.get('/api/docs', (request, reply) => {
    const language = readLanguage(request)
    const page = (pages[language] ??= underBasePath(createPage(language)))
    return reply
      .headers({ 'Cache-Control': CACHE, Vary: 'Accept-Language' })
      .type('text/html; charset=utf-8')
      .send(page)
  })
}
