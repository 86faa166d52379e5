/** An error body for the client, sent with status 400. */
export type RequestProblem = {
  readonly type: 'invalid_request_error'
  readonly message: string
  readonly param: string | null
  readonly code: string | null
}

export function isRequestProblem<Read extends object>(
  read: Read | RequestProblem,
): read is RequestProblem {
  return 'message' in read && 'param' in read
}

export function problem(
  message: string,
  param: string | null = null,
  code: string | null = null,
): RequestProblem {
  return { type: 'invalid_request_error', message, param, code }
}
