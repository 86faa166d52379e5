import type { Received } from '../every-type/received.ts'

/** What the model behind a provider understood of a request, in provider-neutral terms. */
export type ReceivedChat = {
  /** Null if the provider's request does not say. */
  stream: boolean | null
  /** Texts of the system and user messages. */
  texts: string[]
  /** Base64. */
  images: string[]
  tools: { name: string; parameters: unknown }[]
  /** Tool calls of earlier assistant messages. */
  calls: Call[]
  results: string[]
  /** Undefined for free text. */
  schema: unknown
  reasoning: 'shown' | 'hidden' | 'none'
  /** Number of earlier reasoning parts that were sent back. */
  reasoningCount: number
}

export type Call = { name: string; arguments: unknown }

/** The model's answer, in provider-neutral terms. */
export type Reply = { reasoning: string; text: string; calls: (Call & { id: string })[] }

/** A provider's wire format, as far as the clients use it. */
export type Wire = {
  /**
   * Returns the texts to embed or the chat request. Throws if the provider would reject the
   * request.
   */
  read: (call: Received) => ReceivedChat | { embed: string[] }
  /** The response body: JSON, or a whole stream. */
  write: (reply: Reply, asked: ReceivedChat) => string
  writeVectors?: (vectors: readonly number[][]) => string
  /** The model makes one tool call at a time. */
  callsOne?: true
}

export const SYSTEM = 'Be brief.'
export const HELLO = 'Hello there'
export const REASONING = 'Short thought.'
export const PROMPT_TOKENS = 11
export const COMPLETION_TOKENS = 7
/** One vector per text, in order. The numbers are exact in 32-bit floats. */
export const VECTORS = [
  [0.5, -1],
  [0.25, 2],
]
export const CITIES = ['Oslo', 'Rome']
export const WEATHER_JSON = '{"city":"Oslo","degrees":7}'

/**
 * Calls the tool for every city in the question, repeats what the request contained, or says hello.
 */
export function replyTo(asked: ReceivedChat, { callsOne = false }: { callsOne?: boolean }): Reply {
  const thought = asked.reasoning === 'shown' ? REASONING : ''
  const said = asked.texts.join('\n')
  const known = JSON.stringify(asked.calls)
  const wanted =
    asked.tools.length === 0
      ? []
      : CITIES.filter((city) => said.includes(city) && !known.includes(city))
  const calls = wanted
    .slice(0, callsOne ? 1 : wanted.length)
    .map((city) => ({ id: `call_${city}`, name: 'weather', arguments: { city } }))
  return { reasoning: thought, calls, text: calls.length > 0 ? '' : textFor(asked) }
}

function textFor({ results, images, schema }: ReceivedChat): string {
  if (results.length > 0) return results.join('; ')
  if (images.length > 0) return `Pictures: ${images.length}`
  return schema === undefined ? HELLO : WEATHER_JSON
}

export const inTwo = (text: string): string[] =>
  [text.slice(0, text.length / 2), text.slice(text.length / 2)].filter((piece) => piece !== '')

export const dataEvents = (list: readonly object[]) =>
  list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')

export const pathOf = ({ path }: Received) => path.split('?')[0] ?? ''
export const bodyOf = ({ body }: Received): unknown => JSON.parse(body.toString())
export const readJson = (text: string): unknown => JSON.parse(text)
