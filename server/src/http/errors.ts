import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { AppError, type Failure, ERRORS, errorText, type Language } from '@tollgate/contract'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Where clients expect another status than usual for a body that is no JSON. */
    malformedBodyStatus?: 400 | undefined
  }
}

/** The language of the reader; English unless Chinese comes first. */
export function readLanguage(request: FastifyRequest): Language {
  return /^\s*zh/i.test(request.headers['accept-language'] ?? '') ? 'zh' : 'en'
}

export type ErrorDeps = {
  log: Logger
  /** Whether the database did not answer, as opposed to refusing what we asked. */
  isDatabaseAway: (error: unknown) => boolean
}

/** What is thrown anywhere becomes one sentence for the caller; our own faults are logged here, once. */
export function createErrorHandler(deps: ErrorDeps) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const { code, params, beside } = toAppError(error, request, deps)
    const { malformedBodyStatus } = request.routeOptions.config
    const isMalformed = code === 'malformed_json'
    const status = (isMalformed ? malformedBodyStatus : undefined) ?? ERRORS[code].status
    if (status >= 500) {
      const { method, routeOptions } = request
      deps.log.error({ error, request: request.id, method, path: routeOptions.url }, code)
    }
    const seconds = params['seconds']
    if (status === 429 && typeof seconds === 'number') reply.header('Retry-After', String(seconds))
    const failure: Failure = {
      success: false,
      message: errorText(code, params, readLanguage(request)),
      // Clients lead back to the first step of the sign-in.
      ...(code === 'sign_in_expired' && { code }),
    }
    return reply.code(status).send({ ...failure, ...beside })
  }
}

function toAppError(error: unknown, request: FastifyRequest, deps: ErrorDeps): AppError {
  if (error instanceof AppError) return error
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new AppError('body_too_large', { limit: request.routeOptions.bodyLimit ?? 0 })
  }
  // The connection ended in the middle of the body, so nobody reads the answer either.
  if (code === 'ECONNRESET' && request.raw.complete === false) {
    return new AppError('malformed_json')
  }
  // What else Fastify refuses about a body, as a length that does not match, is no JSON to us.
  if (typeof code === 'string' && code.startsWith('FST_ERR_CTP_')) {
    return new AppError('malformed_json')
  }
  // The caller broke off while sending: a stranger must not be able to write errors into our log.
  if (code === 'ECONNRESET' && !request.raw.complete) return new AppError('malformed_json')
  if (deps.isDatabaseAway(error)) return new AppError('database_unavailable', {}, error)
  return new AppError('internal', { request: request.id }, error)
}

/** A path under /api that is none; the body has the form OpenAI clients read. */
export function sendUnknownPath(request: FastifyRequest, reply: FastifyReply) {
  const path = request.url.split('?')[0] ?? ''
  return reply.code(404).send({
    error: {
      message: `Invalid URL (${request.method} ${path})`,
      type: 'invalid_request_error',
      param: '',
      code: '',
    },
  })
}
