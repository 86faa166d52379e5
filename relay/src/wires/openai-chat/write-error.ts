import { CONTEXT_OVERFLOW, overflowIn } from '../../errors/context-overflow.ts'

export type OpenaiError = {
  readonly message: string
  readonly type: string
  readonly param?: string | null
  readonly code?: string | null
}

export function errorBody({ message, type, param = null, code = null }: OpenaiError): string {
  const words = code === CONTEXT_OVERFLOW ? overflowMessage(message) : message
  return JSON.stringify({ error: { message: words, type, param, code } })
}

/** OpenAI's words, by which older clients know the error. */
function overflowMessage(message: string): string {
  const overflow = /context (?:length|window)/i.test(message) ? null : overflowIn(message)
  if (overflow === null) return message
  const { tokens, tokensMax } = overflow
  return `This model's maximum context length is ${tokensMax} tokens. However, your messages resulted in ${tokens} tokens.`
}

/** For a stream whose status has already been sent. */
export function errorEvent(error: OpenaiError): string {
  return `data: ${errorBody(error)}\n\n`
}
