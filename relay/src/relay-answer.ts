import { type Answer, joinedText } from './form/answer.ts'
import { outputText as textOfItem } from './form/events.ts'
import { parseUsage, type Usage } from './usage.ts'

/** The kind of body. It decides the content type for clients; the provider's header is ignored. */
export type AnswerForm = 'json' | 'text' | 'events' | 'media'

/** What the gateway needs to know of an answer. */
export type AnswerSummary = {
  /** False for an error, and for a body that is not an answer of the endpoint. */
  readonly complete: boolean
  readonly form: AnswerForm
  readonly model: string | null
  readonly usage: Usage | null
  /** Visible text, reasoning and tool calls; counted when there is no usage. */
  readonly outputText: () => string
  readonly hasSpeech?: boolean
}

export const summaryOf = (
  { head, choices, usage }: Answer,
  upstreamModel: string,
): AnswerSummary => ({
  complete: choices.length > 0,
  form: 'json',
  model: head.model || null,
  usage: parseUsage(usage, upstreamModel),
  outputText: () => choices.map(outputText).join(''),
})

const outputText = ({ items }: Answer['choices'][number]): string =>
  joinedText(items, 'reasoning') +
  joinedText(items, 'text') +
  joinedText(items, 'refusal') +
  items.map((item) => (item.type === 'tool-call' ? textOfItem(item) : '')).join('')
