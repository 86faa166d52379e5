import type { Usage } from './usage.ts'

/** The kind of body. It decides the content type for clients; the provider's header is ignored. */
export type AnswerForm = 'json' | 'text' | 'events' | 'media'

export type Answer = {
  /** False for an error, and for a body that is not an answer of the endpoint. */
  readonly complete: boolean
  readonly form: AnswerForm
  readonly model: string | null
  readonly usage: Usage | null
  /** Visible text, reasoning and tool calls; counted when there is no usage. */
  readonly outputText: () => string
  readonly hasSpeech?: boolean
}
