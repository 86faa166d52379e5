import type { ClientError, RequestProblem, UpstreamProblem } from '@tollgate/relay'

/** An error answer in the shape of the OpenAI dialect, thrown before an answer has begun. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly type: string
  readonly code: string | null
  readonly param: string | null
  readonly retryAfterSeconds: number | null
  /** Its sender, who has stopped sending, is not heard out. */
  readonly leavesBody: boolean

  constructor(refusal: {
    status: number
    message: string
    code: string | null
    type?: string
    param?: string | null
    retryAfterSeconds?: number | null
    leavesBody?: boolean
    /** What led to it, for our own log. */
    cause?: unknown
  }) {
    super(refusal.message, { cause: refusal.cause })
    this.status = refusal.status
    this.type = refusal.type ?? OWN_TYPE
    this.code = refusal.code
    this.param = refusal.param ?? null
    this.retryAfterSeconds = refusal.retryAfterSeconds ?? null
    this.leavesBody = refusal.leavesBody ?? false
  }

  /** For the client's dialect; ends in the request id, which support is asked with. */
  told(requestId: string): ClientError {
    const { status, type, param, code } = this
    return { status, message: withRequestId(this.message, requestId), type, param, code }
  }
}

/** The type of errors that are not the upstream's, as clients of this family know it. */
const OWN_TYPE = 'one_api_error'

export const withRequestId = (message: string, requestId: string) =>
  `${message} (request id: ${requestId})`

export const badRequest = ({ message, param, code, type }: RequestProblem) =>
  new Refusal({ status: 400, message, param, code, type })

export const databaseAway = (cause: unknown) =>
  new Refusal({
    cause,
    status: 503,
    code: 'database_unavailable',
    message: 'The database does not answer. Try again shortly.',
    retryAfterSeconds: 1,
  })

/** An answer whose charge neither disk nor database takes, which would be lost with this process. */
export const NOT_WRITTEN = {
  type: OWN_TYPE,
  param: null,
  code: 'database_unavailable',
  status: 503,
  message:
    'What this answer costs cannot be written down now, so that it is not handed over as a whole.',
} as const

export const internalError = () =>
  new Refusal({ status: 500, code: 'internal_error', message: 'Internal error of the gateway.' })

export const invalidKey = (message: string) =>
  new Refusal({ status: 401, code: 'invalid_api_key', message })

const MS = 1000

/** What a client is told when no channel answered. */
export function upstreamRefusal(problem: UpstreamProblem): Refusal {
  const { status, message, type, param, code, retryAfterMs } = problem
  const busy = status === 429 || status === 503
  const retryAfterSeconds = busy && retryAfterMs !== null ? Math.ceil(retryAfterMs / MS) : null
  return new Refusal({ status, message, type, param, code, retryAfterSeconds })
}

/** Relay answers at the console's host would have its origin. */
export const notAtConsole = () =>
  new Refusal({
    status: 404,
    code: 'console_host',
    type: 'invalid_request_error',
    message: 'This host serves the console only. Send requests to the server address.',
  })

export const stopping = () =>
  new Refusal({
    status: 503,
    code: 'shutting_down',
    message: 'The gateway is restarting. Try again shortly.',
    retryAfterSeconds: 1,
  })
