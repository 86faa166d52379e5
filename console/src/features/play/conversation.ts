/** A file that goes with a message: data URLs of images and PDFs, the content of text files. */
export type Attachment = { kind: 'image' | 'pdf' | 'text'; name: string; data: string }

/** `result` is what the user says that the tool returned. */
export type ToolCall = { id: string; name: string; arguments: string; result: string }

export type AnswerState = 'running' | 'finished' | 'stopped' | 'failed'

export type Answer = {
  state: AnswerState
  model: string
  text: string
  reasoning: string
  calls: readonly ToolCall[]
  /** Why it failed: the API's message, in English, and its code. Both can be empty. */
  error: string
  errorCode: string
  requestId: string
  /** Measured here, in milliseconds; null until the first text. */
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
  if (attachments.length === 0) return text === '' ? [] : [{ role: 'user', content: text }]
  const parts = attachments.map(partOf)
  return [{ role: 'user', content: [...parts, ...(text === '' ? [] : [{ type: 'text', text }])] }]
}

function partOf({ kind, name, data }: Attachment) {
  if (kind === 'image') return { type: 'image_url', image_url: { url: data } }
  if (kind === 'pdf') return { type: 'file', file: { filename: name, file_data: data } }
  return { type: 'text', text: `${name}:\n\n${data}` }
}

function answerMessages(answer: Answer | null) {
  if (answer === null || (answer.text === '' && answer.calls.length === 0)) return []
  const { text, calls } = answer
  const tool_calls = calls.map(({ id, name, arguments: json }) => ({
    id,
    type: 'function',
    function: { name, arguments: json },
  }))
  return [
    { role: 'assistant', content: text, ...(calls.length > 0 && { tool_calls }) },
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
