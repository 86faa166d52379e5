import { isFlat } from '../dialects/nesting.ts'
import type { Answer, FinishReason, ReportedUsage, ToolCall } from '../form/answer.ts'
import type { AnswerHead, OutputItem } from '../form/events.ts'
import { AnswerEvents, reportOf } from './answer-events.ts'

export type ChoiceParts = {
  readonly text: string
  readonly reasoning?: string
  readonly toolCalls?: readonly ToolCall[]
  readonly finishReason: FinishReason
  /** In OpenAI's format. */
  readonly logprobs?: unknown
}

/** The answer of a provider that gives the parts of a choice in no order. */
export function wholeAnswer(
  head: AnswerHead,
  choices: readonly ChoiceParts[],
  usage: ReportedUsage | null,
): Answer {
  return {
    head,
    choices: choices.map(({ finishReason, logprobs, ...parts }, choice) => ({
      items: itemsOf(new AnswerEvents(head), choice, parts),
      finishReason,
      // A value that is nested too deep cannot be written.
      logprobs: isFlat(logprobs) ? logprobs : undefined,
    })),
    usage: usage && reportOf(usage),
  }
}

function itemsOf(
  events: AnswerEvents,
  choice: number,
  { text, reasoning = '', toolCalls = [] }: Pick<ChoiceParts, 'text' | 'reasoning' | 'toolCalls'>,
): OutputItem[] {
  return withText([
    ...(reasoning === '' ? [] : [events.reasoning(reasoning, choice)]),
    ...(text === '' ? [] : [events.text(text, choice)]),
    ...toolCalls.map((call, index) => events.toolCall(index, call, choice)),
  ])
}

const CONTENT: ReadonlySet<OutputItem['type']> = new Set(['text', 'refusal', 'tool-call'])

/** Adds the empty text of an answer that says nothing and calls no tool. */
export const withText = (items: OutputItem[]): OutputItem[] =>
  items.some(({ type }) => CONTENT.has(type)) ? items : [...items, EMPTY_TEXT]

const EMPTY_TEXT: OutputItem = { type: 'text', choice: 0, text: '', logprobs: undefined }
