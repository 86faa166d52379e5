export type OpenaiError = {
  readonly message: string
  readonly type: string
  readonly param?: string | null
  readonly code?: string | null
}

/** The JSON text of an error answer. */
export function errorBody({ message, type, param = null, code = null }: OpenaiError): string {
  return JSON.stringify({ error: { message, type, param, code } })
}

/** The same as an event, for a stream whose status has already been sent. */
export function errorEvent(error: OpenaiError): string {
  return `data: ${errorBody(error)}\n\n`
}
