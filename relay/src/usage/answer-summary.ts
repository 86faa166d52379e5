import type { Served } from '@tollgate/contract'
import { type Answer, joinedText } from '../form/answer.ts'
import { outputText as textOfItem } from '../form/events.ts'
import { servedIn } from './served.ts'
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
  readonly served?: Served | undefined
  /** Visible text, reasoning and tool calls; counted when there is no usage. */
  readonly outputText: () => string
  readonly hasSpeech?: boolean
  /** Ended regularly without any output. Absent if that cannot be. */
  readonly isEmpty?: () => boolean
}

export const summaryOf = (
  { head, choices, usage }: Answer,
  upstreamModel: string,
): AnswerSummary => ({
  complete: choices.length > 0,
  form: 'json',
  model: head.model || null,
  usage: parseUsage(usage, upstreamModel),
  served: servedIn(usage, undefined),
  outputText: () => choices.map(outputText).join(''),
  isEmpty: () =>
    choices.every(isEmptyChoice) &&
    !((parseUsage(usage, upstreamModel)?.completionTokens ?? 0) > 0),
})

/** Another finish reason than `stop` explains why there is no output. */
const isEmptyChoice = (choice: Answer['choices'][number]): boolean =>
  choice.finishReason === 'stop' &&
  outputText(choice) === '' &&
  !choice.items.some(({ type }) => type === 'image' || type === 'tool-call')

const outputText = ({ items }: Answer['choices'][number]): string =>
  joinedText(items, 'reasoning') +
  joinedText(items, 'text') +
  joinedText(items, 'refusal') +
  items.map((item) => (item.type === 'tool-call' ? textOfItem(item) : '')).join('')
