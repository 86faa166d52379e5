/* One interface for every official client. */

export type Place = { url: string; key: string }

export type ChatOptions = {
  stream: boolean
  /** Offers the weather tool. */
  tools: boolean
  /** Requires an answer that follows the weather schema. */
  schema: boolean
  reasoning: boolean
}

export type Input =
  | { type: 'text'; text: string; png?: string }
  | { type: 'results'; results: { id: string; name: string; text: string }[] }

export type Answer = {
  text: string
  reasoning: string
  calls: { id: string; name: string; arguments: unknown }[]
  usage: { prompt: number | undefined; completion: number | undefined }
}

export type Client = {
  name: string
  dialect: Dialect
  /**
   * Opens a conversation. The client keeps the history in its own form and sends it with each
   * question, which may be at another place.
   */
  open: (place: Place, wanted: ChatOptions) => (input: Input, at?: Place) => Promise<Answer>
  embed?: (place: Place, texts: string[]) => Promise<number[][]>
  count?: (place: Place, text: string) => Promise<number>
  /** Status and message of the client's own error class; null for any other error. */
  failureOf: (error: unknown) => Failure | null
  /** The client can request reasoning but does not expose it. */
  hidesReasoning?: true
}

export type Dialect = 'chat' | 'responses' | 'messages' | 'gemini'
export type Failure = { status: number; message: string }

export const PLAIN: ChatOptions = { stream: false, tools: false, schema: false, reasoning: false }

export const OUTPUT_TOKENS_MOST = 4000
export const THINKING_TOKENS = 2000

/** A one-pixel image. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
export const PNG_URL = `data:image/png;base64,${PNG}`

export const WEATHER = {
  name: 'weather',
  description: 'Tells the weather of a city.',
  parameters: {
    type: 'object' as const,
    properties: { city: { type: 'string' as const } },
    required: ['city'],
    additionalProperties: false,
  },
}

export const WEATHER_SCHEMA = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const }, degrees: { type: 'integer' as const } },
  required: ['city', 'degrees'],
  additionalProperties: false,
}
