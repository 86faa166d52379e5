import { MODEL } from '../relay-scenario.ts'
import type { Received } from './stand.ts'

/** What a client asks of every type of channel. */
export const QUESTION = {
  model: MODEL,
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'hi' },
  ],
  max_tokens: 64,
  temperature: 0.5,
} as const

/** The call as it must arrive: everything of the body, and of the headers those that the provider reads. */
export type WireCall = { path: string; headers: Record<string, string>; body: object }

/** One type of channel, and the provider behind it in its own words. */
export type TypeRow = {
  type: number
  key: string
  other?: string
  /** The provider's own name of the model. */
  model: string
  call: (asked: { stream: boolean }) => WireCall
  /** Whether the call is signed as the provider's documents tell; for those that take no plain key. */
  isSigned?: (received: Received) => boolean
  /** Asked before all calls; its answer holds what they are made with. */
  exchange?: { path: string; answer: string; refusal: TypeRow['refusal'] }
  whole: string
  stream: { body: string; type?: string }
  transport?: 'websocket'
  /** To a key that is not known. */
  refusal: { status: number; body: string }
  says: {
    /** Of the whole answer and of the stream. */
    texts: [string, string]
    /** Null where the provider tells none and the gateway counts. */
    usage: { prompt_tokens: number; completion_tokens: number } | null
    /** As the provider names the model that answered. */
    model: string
  }
  /** Answers by what is asked, without parameters; in the provider's own unit. */
  balance?: { answers: Record<string, object>; says: number }
}
