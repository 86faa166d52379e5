import type { ClientError, RequestProblem, UpstreamProblem } from '@tollgate/relay'

/** An error response in OpenAI's format, thrown before a response has begun. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly type: string
  readonly code: string | null
  readonly param: string | null
  readonly retryAfterSeconds: number | null
  /** The caller lacks money. Repeating the request is pointless before a top-up. */
  readonly isUnpaid: boolean
  /** Closes the connection without waiting for the rest of the body: its sender is too slow. */
  readonly closesConnection: boolean
  /** The protocol that a 426 asks for (RFC 9110, 15.5.22); null for other errors. */
  readonly upgrade: string | null

  constructor(refusal: {
    status: number
    message: string
    code: string | null
    type?: string
    param?: string | null
    retryAfterSeconds?: number | null
    isUnpaid?: boolean
    leavesBody?: boolean
    upgrade?: string
    /** For the operator's log. Clients do not see the cause. */
    cause?: unknown
  }) {
    super(refusal.message, { cause: refusal.cause })
    this.status = refusal.status
    this.type = refusal.type ?? GATEWAY_ERROR_TYPE
    this.code = refusal.code
    this.param = refusal.param ?? null
    this.retryAfterSeconds = refusal.retryAfterSeconds ?? null
    this.isUnpaid = refusal.isUnpaid ?? false
    this.closesConnection = refusal.leavesBody ?? false
    this.upgrade = refusal.upgrade ?? null
  }

  /** For the client's dialect. The message ends with the request id, for support. */
  toClientError(requestId: string): ClientError {
    const { status, type, param, code } = this
    return { status, message: withRequestId(this.message, requestId), type, param, code }
  }
}

/** Type of the gateway's own errors. Clients of One API expect this name. */
const GATEWAY_ERROR_TYPE = 'one_api_error'

export const withRequestId = (message: string, requestId: string) =>
  `${message} (request id: ${requestId})`

export const badRequest = ({ message, param, code, type }: RequestProblem) =>
  new Refusal({ status: 400, message, param, code, type })

export const databaseUnavailable = (cause: unknown) =>
  new Refusal({
    cause,
    status: 503,
    code: 'database_unavailable',
    message: 'The database does not answer. Try again shortly.',
    retryAfterSeconds: 1,
  })

/**
 * The charge could be written neither to disk nor to the database and would be lost with this
 * process. Therefore the client does not get the whole answer.
 */
export const CHARGE_NOT_RECORDED = {
  type: GATEWAY_ERROR_TYPE,
  param: null,
  code: 'database_unavailable',
  status: 503,
  message: 'The charge for this response could not be recorded, so the response was not completed.',
} as const

export const internalError = () =>
  new Refusal({ status: 500, code: 'internal_error', message: 'Internal gateway error.' })

export const invalidKey = (message: string, { isUnpaid = false } = {}) =>
  new Refusal({ status: 401, code: 'invalid_api_key', message, isUnpaid })

const MS = 1000

/** Error for a request that no channel answered. */
export function upstreamRefusal(problem: UpstreamProblem): Refusal {
  const { status, message, type, param, code, retryAfterMs } = problem
  const busy = status === 429 || status === 503
  const retryAfterSeconds = busy && retryAfterMs !== null ? Math.ceil(retryAfterMs / MS) : null
  return new Refusal({ status, message, type, param, code, retryAfterSeconds })
}

/** Relay responses on the console's host would share the console's origin. */
export const wrongHost = () =>
  new Refusal({
    status: 404,
    code: 'console_host',
    type: 'invalid_request_error',
    message: 'This host serves the console only. Send requests to the server address.',
  })

export const shuttingDown = () =>
  new Refusal({
    status: 503,
    code: 'shutting_down',
    message: 'The gateway is restarting. Try again shortly.',
    retryAfterSeconds: 1,
  })
