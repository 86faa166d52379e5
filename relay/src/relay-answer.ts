import type { Usage } from './usage.ts'

/** Kind of body. The content type for clients follows from it, not from the provider's header. */
export type AnswerForm = 'json' | 'text' | 'events' | 'media'

export type Answer = {
  /** A whole answer of this endpoint; otherwise it is an error or no answer at all. */
  readonly complete: boolean
  readonly form: AnswerForm
  readonly model: string | null
  readonly usage: Usage | null
  /** The visible and reasoning text and the tool calls, to be counted when there is no usage. */
  readonly outputText: () => string
  /** Audio is among what a model of text said. */
  readonly hasSpeech?: boolean
}
