export type OpenaiError = {
  readonly message: string
  readonly type: string
  readonly param?: string | null
  readonly code?: string | null
}

export function errorBody({ message, type, param = null, code = null }: OpenaiError): string {
  return JSON.stringify({ error: { message, type, param, code } })
}

/** For a stream whose status has already been sent. */
export function errorEvent(error: OpenaiError): string {
  return `data: ${errorBody(error)}\n\n`
}
