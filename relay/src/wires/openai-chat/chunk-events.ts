import { isRecord, type JsonRecord, listOf, member, omit, textOf } from '../../bytes/json-value.ts'
import { choicesOf } from '../../form/chat-chunk.ts'
import { deltaOf, type StreamEvent, withDelta } from '../../form/events.ts'
import { citationsInMessage } from '../annotations.ts'
import { answerHead, choiceText, reasoningIn, usageReport } from './answer-summary.ts'
import { matchedSequence } from './finish-reason.ts'
import { hasContent, isEmpty } from './text-delta.ts'
import { callPiece } from './tool-call-deltas.ts'

/** Members of a delta that have events of their own. */
const KNOWN_MEMBERS = [
  'role',
  'content',
  'reasoning_content',
  'reasoning',
  'reasoning_text',
  'thinking_blocks',
  'reasoning_details',
  'extra_content',
  'refusal',
  'annotations',
  'images',
  'tool_calls',
] as const

/** Reads the chunks of one stream of chat completions as events. */
export class ChunkEvents {
  #hasStarted = false
  /** The only event of the last chunk, if it can be repeated with another text. */
  #last: StreamEvent | null = null

  read(chunk: JsonRecord): StreamEvent[] {
    const output = choicesOf(chunk).flatMap(choiceEvents)
    const [only, ...others] = output
    this.#last = others.length === 0 ? (only ?? null) : null
    const report = usageReport(chunk)
    const usage: StreamEvent[] = report === null ? [] : [{ type: 'usage', report, isFinal: true }]
    return [...this.#start(chunk), ...usage, ...output]
  }

  /** The event of a chunk that differs from the last only in its text; null if unknown. */
  nextDelta(escaped: string): StreamEvent | null {
    const event = this.#last
    return event === null || deltaOf(event) === null ? null : withDelta(event, unescaped(escaped))
  }

  #start(chunk: JsonRecord): StreamEvent[] {
    if (this.#hasStarted) return []
    this.#hasStarted = true
    return [{ type: 'start', choice: 0, head: answerHead(chunk) }]
  }
}

const unescaped = (text: string): string =>
  text.includes('\\') ? textOf(JSON.parse(`"${text}"`)) : text

function choiceEvents(given: JsonRecord): StreamEvent[] {
  const { index, delta, logprobs: probabilities, finish_reason: reason } = given
  const choice = typeof index === 'number' ? index : 0
  const logprobs = isEmpty(probabilities) ? undefined : probabilities
  const events = textEvents(delta, choice, logprobs)
  if (isRecord(delta) && hasContent(given)) {
    for (const event of rareEvents(delta, choice)) events.push(event)
  }
  if (typeof reason === 'string' && reason !== '') {
    events.push({ type: 'finish', choice, reason, stopSequence: matchedSequence(given) })
  }
  return events
}

/** The output of a complete message. */
export const messageEvents = (message: JsonRecord): StreamEvent[] => [
  ...textEvents(message, 0),
  ...rareEvents(message, 0),
]

function textEvents(delta: unknown, choice: number, logprobs?: unknown): StreamEvent[] {
  const { text, reasoning } = textAndReasoning(delta)
  const events: StreamEvent[] = []
  if (reasoning !== '') events.push({ type: 'reasoning', choice, text: reasoning })
  if (text !== '') events.push({ type: 'text', choice, text, logprobs })
  else if (logprobs !== undefined) events.push({ type: 'logprobs', choice, logprobs })
  return events
}

/** Magistral answers with a list of parts in which thinking is again a list. */
function textAndReasoning(message: unknown): { text: string; reasoning: string } {
  const content = member(message, 'content')
  const reasoning = reasoningIn(message)
  if (!Array.isArray(content)) return { text: textOf(content), reasoning }
  const thinking = content.flatMap((part) => listOf(member(part, 'thinking')))
  return { text: textsOf(content), reasoning: reasoning + textsOf(thinking) }
}

const textsOf = (parts: readonly unknown[]) =>
  parts.map((part) => textOf(member(part, 'text'))).join('')

function rareEvents(delta: JsonRecord, choice: number): StreamEvent[] {
  const { refusal, extra_content: signature } = delta
  const sealsIn = (name: string, kind: 'thinking_block' | 'reasoning_detail') =>
    listOf(delta[name])
      .filter(isRecord)
      .map((value): StreamEvent => ({ type: 'seal', choice, seal: { kind, value } }))
  const citations = citationsInMessage(delta)
  const images = [...imagesIn(delta['content']), ...listOf(delta['images'])]
  const rest = omit(delta, ...KNOWN_MEMBERS)
  return [
    ...(citations.length === 0 ? [] : [{ type: 'citations', choice, citations } as const]),
    ...sealsIn('thinking_blocks', 'thinking_block'),
    ...sealsIn('reasoning_details', 'reasoning_detail'),
    ...(textOf(refusal) === ''
      ? []
      : [{ type: 'refusal', choice, text: textOf(refusal) } as const]),
    ...(signature === undefined
      ? []
      : [{ type: 'seal', choice, seal: { kind: 'signature', value: signature } } as const]),
    ...images.map((image) => ({ type: 'image', choice, image }) as const),
    ...listOf(delta['tool_calls']).map((call) => ({
      type: 'tool-call' as const,
      choice,
      ...callPiece(call),
    })),
    ...(Object.values(rest).every(isEmpty)
      ? []
      : [{ type: 'other', choice, delta: rest, text: choiceText({ delta: rest }) } as const]),
  ]
}

/** Parts of type `image_url` in a list of parts. */
const imagesIn = (content: unknown) =>
  listOf(content).filter((part) => member(part, 'image_url') !== undefined)
