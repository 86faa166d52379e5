import type { Delta } from '../../lib/relay/read-answer.ts'
import { contentOf } from './answer-content.ts'

/** A file that goes with a message: data URLs of images and PDFs, the content of text files. */
export type Attachment = {
  kind: 'image' | 'pdf' | 'text'
  name: string
  data: string
  /** The browser had no room to keep it. */
  isLost?: boolean | undefined
}

/**
 * `index` is the number that the API gives the call, which may skip numbers. `result` is what the
 * user says that the tool returned.
 */
export type ToolCall = {
  index: number
  id: string
  name: string
  arguments: string
  result: string
}

export type AnswerState = 'running' | 'finished' | 'stopped' | 'failed'

export type Answer = {
  state: AnswerState
  model: string
  text: string
  reasoning: string
  calls: readonly ToolCall[]
  /** Data URLs. */
  images: readonly string[]
  /** As in the API, such as `length`; empty until the end. */
  finishReason: string
  /** Why it failed: the API's message, in English, and its code. Both can be empty. */
  error: string
  errorCode: string
  requestId: string
  /** Measured here, in milliseconds; null until the first content. */
  firstTokenMs: number | null
}

/** A message and its answers: one per side, which stay apart. */
export type Turn = {
  id: string
  text: string
  attachments: readonly Attachment[]
  answers: readonly (Answer | null)[]
}

/** Empty texts leave the parameter out. */
export type Parameters = {
  system: string
  temperature: string
  topP: string
  maxTokens: string
  effort: string
  /** A JSON list; empty for none. */
  tools: string
  isStreamed: boolean
}

export const NO_PARAMETERS: Parameters = {
  system: '',
  temperature: '',
  topP: '',
  maxTokens: '',
  effort: '',
  tools: '',
  isStreamed: true,
}

export type RequestBody = Readonly<Record<string, unknown>> & { model: string; stream: boolean }

/** What a side is sent for its last turn. */
export function requestOf(
  turns: readonly Turn[],
  side: number,
  { model, parameters }: { model: string; parameters: Parameters },
): RequestBody {
  const { system, temperature, topP, maxTokens, effort, isStreamed } = parameters
  const tools = parseTools(parameters.tools) ?? []
  const last = turns.length - 1
  return {
    model,
    messages: [
      ...(system.trim() === '' ? [] : [{ role: 'system', content: system }]),
      ...turns.flatMap((turn, index) => [
        ...userMessage(turn),
        ...(index === last ? [] : answerMessages(turn.answers[side] ?? null)),
      ]),
    ],
    stream: isStreamed,
    ...(isStreamed && { stream_options: { include_usage: true } }),
    ...(temperature !== '' && { temperature: Number(temperature) }),
    ...(topP !== '' && { top_p: Number(topP) }),
    ...(maxTokens !== '' && { max_completion_tokens: Number(maxTokens) }),
    ...(effort !== '' && { reasoning_effort: effort }),
    ...(tools.length > 0 && { tools }),
  }
}

/** A turn without text and files only sends the results of the calls before it. */
function userMessage({ text, attachments }: Turn) {
  const parts = attachments.filter(({ isLost }) => !isLost).map(partOf)
  if (parts.length === 0) return text === '' ? [] : [{ role: 'user', content: text }]
  return [{ role: 'user', content: [...parts, ...(text === '' ? [] : [{ type: 'text', text }])] }]
}

function partOf({ kind, name, data }: Attachment) {
  if (kind === 'image') return { type: 'image_url', image_url: { url: data } }
  if (kind === 'pdf') return { type: 'file', file: { filename: name, file_data: data } }
  return { type: 'text', text: `${name}:\n\n${data}` }
}

/** Whether the call was received in full. A part of its arguments would be refused for ever. */
export function isWholeCall({ arguments: json }: ToolCall): boolean {
  if (json === '') return true
  try {
    JSON.parse(json)
    return true
  } catch {
    return false
  }
}

function answerMessages(answer: Answer | null) {
  if (answer === null) return []
  const { text, images } = contentOf(answer)
  const calls = answer.calls.filter(isWholeCall)
  if (text === '' && calls.length === 0 && images.length === 0) return []
  const tool_calls = calls.map(({ id, name, arguments: json }) => ({
    id,
    type: 'function',
    function: { name, arguments: json },
  }))
  return [
    {
      role: 'assistant',
      content: text,
      ...(images.length > 0 && {
        images: images.map((url) => ({ type: 'image_url', image_url: { url } })),
      }),
      ...(calls.length > 0 && { tool_calls }),
    },
    ...calls.map(({ id, result }) => ({ role: 'tool', tool_call_id: id, content: result })),
  ]
}

/** Null if the text is no JSON list of objects. */
export function parseTools(text: string): readonly object[] | null {
  if (text.trim() === '') return []
  try {
    const tools: unknown = JSON.parse(text)
    const isList = Array.isArray(tools) && tools.every((tool) => typeof tool === 'object' && tool)
    // Safe because every item was checked to be an object.
    return isList ? (tools as object[]) : null
  } catch {
    return null
  }
}

/** An answer that has not begun. */
export const newAnswer = (model: string): Answer => ({
  state: 'running',
  model,
  text: '',
  reasoning: '',
  calls: [],
  images: [],
  finishReason: '',
  error: '',
  errorCode: '',
  requestId: '',
  firstTokenMs: null,
})

/** The turns up to this one, which gets new answers. Later turns answered what is now replaced. */
export const restartedAt = (turns: readonly Turn[], id: string, change: Partial<Turn> = {}) => {
  const index = turns.findIndex((turn) => turn.id === id)
  return turns
    .slice(0, index + 1)
    .map((turn) => (turn.id === id ? { ...turn, ...change, answers: [] } : turn))
}

/** Changes an answer of a turn. */
export const withAnswer = (
  turns: readonly Turn[],
  { turn: id, side }: { turn: string; side: number },
  change: (answer: Answer) => Answer,
): readonly Turn[] =>
  turns.map((turn) => {
    const answer = turn.answers[side]
    if (turn.id !== id || !answer) return turn
    return { ...turn, answers: turn.answers.with(side, change(answer)) }
  })

/** The answer with its next piece, received this long after the request. */
export function withDelta(answer: Answer, delta: Delta, elapsedMs: number): Answer {
  const { text, reasoning, images, finishReason } = delta
  // The first piece of many providers names the role only.
  const isContent = text !== '' || reasoning !== '' || images.length + delta.calls.length > 0
  return {
    ...answer,
    text: answer.text + text,
    reasoning: answer.reasoning + reasoning,
    images: [...answer.images, ...images],
    calls: delta.calls.reduce(withCallPart, answer.calls),
    finishReason: finishReason || answer.finishReason,
    firstTokenMs: answer.firstTokenMs ?? (isContent ? Math.round(elapsedMs) : null),
  }
}

type CallPart = Delta['calls'][number]

function withCallPart(calls: readonly ToolCall[], part: CallPart): readonly ToolCall[] {
  const known = calls.find(({ index }) => index === part.index)
  if (!known) return [...calls, { ...part, result: '' }]
  const grown = {
    ...known,
    id: known.id || part.id,
    name: known.name || part.name,
    arguments: known.arguments + part.arguments,
  }
  return calls.map((call) => (call === known ? grown : call))
}
