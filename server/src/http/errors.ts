import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import {
  AppError,
  ERRORS,
  errorText,
  type Failure,
  faultyFieldOf,
  type Language,
} from '@tollgate/contract'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Overrides the status for bodies that are not JSON, for clients that expect another one. */
    malformedBodyStatus?: 400 | undefined
  }
}

/** Chinese if the Accept-Language header starts with it, else English. */
export function readLanguage(request: FastifyRequest): Language {
  return /^\s*zh/i.test(request.headers['accept-language'] ?? '') ? 'zh' : 'en'
}

export type ErrorDeps = {
  log: Logger
  /** True if the database did not answer; false if it rejected a query. */
  isDatabaseAway: (error: unknown) => boolean
}

/** Turns every thrown error into a failure response. Server errors are logged here, once. */
export function createErrorHandler(deps: ErrorDeps) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const known = toAppError(error, request, deps)
    const { code, params, extra } = known
    const language = readLanguage(request)
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
      message: errorText(code, params, language),
      ...faultyFieldOf(known, language),
      // Clients return to the first login step on this code.
      ...(code === 'sign_in_expired' && { code }),
    }
    return reply.code(status).send({ ...failure, ...extra })
  }
}

function toAppError(error: unknown, request: FastifyRequest, deps: ErrorDeps): AppError {
  if (error instanceof AppError) return error
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new AppError('body_too_large', { limit: request.routeOptions.bodyLimit ?? 0 })
  }
  // The connection ended in the middle of the body, so the answer will not be read.
  if (code === 'ECONNRESET' && request.raw.complete === false) {
    return new AppError('malformed_json')
  }
  // Other body errors of Fastify, such as a wrong length, are reported as malformed JSON.
  if (typeof code === 'string' && code.startsWith('FST_ERR_CTP_')) {
    return new AppError('malformed_json')
  }
  // The caller disconnected while sending. Strangers must not be able to write to the error log.
  if (code === 'ECONNRESET' && !request.raw.complete) return new AppError('malformed_json')
  if (deps.isDatabaseAway(error)) return new AppError('database_unavailable', {}, error)
  return new AppError('internal', { request: request.id }, error)
}

/** For unknown paths under /api. The body has the form OpenAI clients read. */
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
