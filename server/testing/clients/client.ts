/* What every official client is made to do, whatever its methods are called. */

export type Place = { url: string; key: string }

export type Wanted = {
  stream: boolean
  /** Whether it may ask for the weather. */
  tools: boolean
  /** Whether the answer has to follow the schema of the weather. */
  schema: boolean
  thinks: boolean
}

export type Input =
  | { type: 'text'; text: string; png?: string }
  | { type: 'results'; results: { id: string; name: string; text: string }[] }

export type Answer = {
  text: string
  thought: string
  calls: { id: string; name: string; arguments: unknown }[]
  usage: { prompt: number | undefined; completion: number | undefined }
}

export type Client = {
  name: string
  dialect: Dialect
  /** A conversation: what is said is kept as the client keeps it, and sent again with each question. */
  open: (place: Place, wanted: Wanted) => (input: Input) => Promise<Answer>
  embed?: (place: Place, texts: string[]) => Promise<number[][]>
  count?: (place: Place, text: string) => Promise<number>
  /** What a failure of the client's own class tells; null for any other. */
  failureOf: (error: unknown) => Failure | null
  /** Where it has no place for thoughts, though it may ask for them. */
  hidesThoughts?: true
}

export type Dialect = 'chat' | 'responses' | 'messages' | 'gemini'
export type Failure = { status: number; message: string }

export const PLAIN: Wanted = { stream: false, tools: false, schema: false, thinks: false }

export const OUTPUT_TOKENS_MOST = 4000
export const THINKING_TOKENS = 2000

/** A pixel. */
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
