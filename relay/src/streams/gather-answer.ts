import { type JsonRecord, listOf, member } from '../bytes/json-value.ts'
import type { Answer, AnswerChoice } from '../form/answer.ts'
import type { AnswerHead, OutputItem, StreamEvent, ToolCallEvent } from '../form/events.ts'
import { isFlat } from '../form/nested-json.ts'

type GatheredChoice = {
  readonly items: OutputItem[]
  /** Places in `items`, by the index of a call. */
  readonly calls: Map<number | null, number>
  finishReason: string | null
  logprobs: unknown
}

/** The answer that the events of a whole stream make; null if they begin none. */
export function gathered(events: readonly StreamEvent[]): Answer | null {
  const choices = new Map<number, GatheredChoice>()
  let head: AnswerHead | null = null
  let usage: JsonRecord | null = null
  for (const event of events) {
    if (event.type === 'usage') usage = event.report
    if (event.type === 'start') head ??= event.head
    if (!('choice' in event)) continue
    const choice = choices.get(event.choice) ?? newChoice()
    choices.set(event.choice, choice)
    add(choice, event)
  }
  if (head === null) return null
  const inOrder = [...choices].toSorted(([one], [other]) => one - other)
  return { head, choices: inOrder.map(([, choice]) => choiceOf(choice)), usage }
}

const newChoice = (): GatheredChoice => ({
  items: [],
  calls: new Map(),
  finishReason: null,
  logprobs: undefined,
})

function add(choice: GatheredChoice, event: StreamEvent): void {
  const { items } = choice
  switch (event.type) {
    case 'reasoning':
    case 'refusal':
    case 'seal':
    case 'image':
    case 'citations':
    case 'other':
      items.push(event)
      break
    case 'text':
      items.push(event)
      choice.logprobs = joinedLogprobs(choice.logprobs, event.logprobs)
      break
    case 'logprobs':
      choice.logprobs = joinedLogprobs(choice.logprobs, event.logprobs)
      break
    case 'tool-call':
      addCall(choice, event)
      break
    case 'finish':
      choice.finishReason = event.reason
      break
    default:
  }
}

function addCall({ items, calls }: GatheredChoice, piece: ToolCallEvent): void {
  const at = calls.get(piece.index) ?? items.length
  const begun = items[at]
  calls.set(piece.index, at)
  items[at] = begun?.type === 'tool-call' ? { ...begun, input: begun.input + piece.input } : piece
}

/** Each text of a choice may have its own. */
function joinedLogprobs(first: unknown, second: unknown): unknown {
  if (first === undefined || second === undefined) return first ?? second
  return { content: [first, second].flatMap((one) => listOf(member(one, 'content'))) }
}

const choiceOf = ({ items, calls, finishReason, logprobs }: GatheredChoice): AnswerChoice => ({
  items: withText(items),
  finishReason: finishReason ?? (calls.size > 0 ? 'tool_calls' : 'stop'),
  // A value that is nested too deep cannot be written.
  logprobs: isFlat(logprobs) ? logprobs : undefined,
})

const CONTENT: ReadonlySet<OutputItem['type']> = new Set(['text', 'refusal', 'tool-call'])

/** Adds the empty text of an answer that says nothing and calls no tool. */
const withText = (items: OutputItem[]): OutputItem[] =>
  items.some(({ type }) => CONTENT.has(type)) ? items : [...items, EMPTY_TEXT]

const EMPTY_TEXT: OutputItem = { type: 'text', choice: 0, text: '', logprobs: undefined }
