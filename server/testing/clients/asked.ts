import type { Received } from '../every-type/stand.ts'

/** What a model behind a provider has understood of a request, in the words of no provider. */
export type Asked = {
  /** Null where the provider is not told. */
  stream: boolean | null
  /** Of the system and of users. */
  texts: string[]
  /** In base64. */
  images: string[]
  tools: { name: string; parameters: unknown }[]
  /** Of earlier turns. */
  calls: Call[]
  results: string[]
  /** Undefined where any text will do. */
  schema: unknown
  thinks: boolean
  /** Of its own earlier thoughts. */
  thoughts: number
}

export type Call = { name: string; arguments: unknown }

/** What the model says to it. */
export type Reply = { thought: string; text: string; calls: (Call & { id: string })[] }

/** A provider's own form, as far as clients use it. */
export type Wire = {
  /** The texts to embed, or what a chat was asked. Throws for what the provider would not understand. */
  read: (call: Received) => Asked | { embed: string[] }
  /** The body of an answer; whole, or as a stream. */
  write: (reply: Reply, asked: Asked) => string
  writeVectors?: (vectors: readonly number[][]) => string
  /** The model calls one function at a time. */
  callsOne?: true
}

export const SYSTEM = 'Be brief.'
export const HELLO = 'Hello there'
export const THOUGHT = 'Short thought.'
export const PROMPT_TOKENS = 11
export const COMPLETION_TOKENS = 7
/** Of each text, in its order; numbers that 32 bits hold exactly. */
export const VECTORS = [
  [0.5, -1],
  [0.25, 2],
]
export const CITIES = ['Oslo', 'Rome']
export const WEATHER_JSON = '{"city":"Oslo","degrees":7}'

/** Calls for every city that is asked about, says what it was shown, and is otherwise polite. */
export function replyTo(asked: Asked, { callsOne = false }: { callsOne?: boolean }): Reply {
  const thought = asked.thinks ? THOUGHT : ''
  const said = asked.texts.join('\n')
  const known = JSON.stringify(asked.calls)
  const wanted =
    asked.tools.length === 0
      ? []
      : CITIES.filter((city) => said.includes(city) && !known.includes(city))
  const calls = wanted
    .slice(0, callsOne ? 1 : wanted.length)
    .map((city) => ({ id: `call_${city}`, name: 'weather', arguments: { city } }))
  return { thought, calls, text: calls.length > 0 ? '' : textFor(asked) }
}

function textFor({ results, images, schema }: Asked): string {
  if (results.length > 0) return results.join('; ')
  if (images.length > 0) return `Pictures: ${images.length}`
  return schema === undefined ? HELLO : WEATHER_JSON
}

/** Texts come in two pieces. */
export const inTwo = (text: string): string[] =>
  [text.slice(0, text.length / 2), text.slice(text.length / 2)].filter((piece) => piece !== '')

/** Server-sent events of these data. */
export const dataEvents = (list: readonly object[]) =>
  list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')

export const pathOf = ({ path }: Received) => path.split('?')[0] ?? ''
export const bodyOf = ({ body }: Received): unknown => JSON.parse(body.toString())
export const readJson = (text: string): unknown => JSON.parse(text)
