import { MODEL } from '../worlds/relay-scenario.ts'
import type { Received } from './received.ts'

export const QUESTION = {
  model: MODEL,
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'hi' },
  ],
  max_tokens: 64,
  temperature: 0.5,
} as const

/** The expected upstream call: the whole body, and the headers that the provider reads. */
export type WireCall = { path: string; headers: Record<string, string>; body: object }

export type TypeRow = {
  type: number
  key: string
  other?: string
  /** The provider's name of the model. */
  model: string
  call: (asked: { stream: boolean }) => WireCall
  /**
   * Checks the signature as the provider's documentation defines it; for types without a plain key.
   */
  isSigned?: (received: Received) => boolean
  /** Token exchange before the first call; its answer holds the token. */
  exchange?: { path: string; answer: string; refusal: TypeRow['refusal'] }
  answerBody: string
  stream: { body: string; type?: string }
  transport?: 'websocket'
  /** Response to an unknown key. */
  refusal: { status: number; body: string }
  expected: {
    /** Text of the whole answer and of the stream. */
    texts: [string, string]
    /** Null if the provider reports no usage and the gateway counts. */
    usage: { prompt_tokens: number; completion_tokens: number } | null
    /** The provider's name of the model that answered. */
    model: string
  }
  /** Answers by path without query. `says` is in the provider's own unit. */
  balance?: { answers: Record<string, object>; says: number }
}
