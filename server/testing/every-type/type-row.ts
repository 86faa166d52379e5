import { readFileSync } from 'node:fs'
import { z } from 'zod'
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

export const fixture = (name: string) =>
  readFileSync(new URL(`../../../relay/src/providers/${name}`, import.meta.url), 'utf8')

const readSchema = z.object({
  model: z.string(),
  choices: z.tuple([z.object({ message: z.object({ content: z.string() }) })]),
  usage: z.object({ prompt_tokens: z.int(), completion_tokens: z.int() }),
})
const delta = z.object({ content: z.string().optional() })
const choice = z.object({ delta })
const streamSchema = z.object({
  events: z.array(z.union([z.string(), z.object({ choices: z.array(choice) })])),
})

/** The answer and the stream of a provider's fixtures, and what clients read of them. */
export function recorded(
  provider: string,
  model?: string,
): Pick<TypeRow, 'answerBody' | 'stream' | 'expected'> {
  const read = (name: string) => fixture(`${provider}/__fixtures__/${name}`)
  const whole = readSchema.parse(JSON.parse(read('answers/text.expected.json')))
  const { events } = streamSchema.parse(JSON.parse(read('streams/text.expected.json')))
  const pieces = events.flatMap((event) => (typeof event === 'string' ? [] : event.choices))
  const text = pieces.map((piece) => piece.delta.content ?? '').join('')
  return {
    answerBody: read('answers/text.json'),
    stream: { body: read('streams/text.sse') },
    expected: {
      texts: [whole.choices[0].message.content, text],
      usage: whole.usage,
      model: model ?? whole.model,
    },
  }
}
