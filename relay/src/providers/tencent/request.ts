import {
  isRecord,
  type JsonRecord,
  textOf,
  clamp,
  omitAbsent,
  isPresent,
  pick,
} from '../../bytes/json-value.ts'
import { parameterError } from '../../form/codec-errors.ts'
import {
  reasoningRequested,
  forcedFunction,
  functionsOf,
  type NamedFunction,
  type Part,
  pastCallsOf,
  type PastCall,
  type ReadMessage,
  messagesOf,
  rejectParameters,
  textsToEmbed,
  toolChoiceOf,
} from '../../wires/openai-chat/chat-request.ts'
import type { ProviderCall } from '../../wires/provider-codec.ts'

/** Members without an equivalent in OpenAI's format; clients may send them. */
const TENCENT_MEMBERS = [
  'EnableEnhancement',
  'ForceSearchEnhancement',
  'EnableDeepSearch',
  'SearchInfo',
  'Citation',
  'StreamModeration',
]
const SEED_MAX = 10_000

export function chatBody(call: ProviderCall): JsonRecord {
  const { request, model, stream } = call
  rejectParameters(request, 'n', 'logprobs', 'audio', 'response_format')
  const { temperature, top_p: topP, seed, stop, web_search_options: search } = request
  return omitAbsent({
    Model: model,
    Messages: turnsOf(messagesOf(call, ({ type }) => type === 'image')).map(encodeTurn),
    Stream: stream,
    Temperature: clamp(temperature, 0, 2),
    TopP: clamp(topP, 0, 1),
    Seed: seedOf(seed),
    Stop: typeof stop === 'string' ? [stop] : stop,
    EnableThinking: request['EnableThinking'] ?? reasoningRequested(request),
    EnableEnhancement: isRecord(search) ? true : undefined,
    ...toolsOf(request),
    ...pick(request, ...TENCENT_MEMBERS),
  })
}

function seedOf(seed: unknown): unknown {
  if (typeof seed !== 'number' || !Number.isInteger(seed)) return undefined
  return seed >= 1 && seed <= SEED_MAX ? seed : (Math.abs(seed) % SEED_MAX) + 1
}

function toolsOf(request: JsonRecord): JsonRecord {
  const functions = functionsOf(request)
  if (functions.length === 0) return {}
  const choice = toolChoiceOf(request)
  const forced = forcedFunction(choice, functions)
  return {
    Tools: functions.map(toolOf),
    ToolChoice: forced === null ? choice?.type : 'custom',
    CustomTool: forced && toolOf(forced),
  }
}

const toolOf = ({ name, description, parameters }: NamedFunction) => ({
  Type: 'function',
  Function: omitAbsent({
    Name: name,
    Description: description,
    Parameters: isPresent(parameters) ? JSON.stringify(parameters) : '{}',
  }),
})

type Turn = {
  readonly role: string
  readonly parts: readonly Part[]
  readonly calls: readonly PastCall[]
  readonly toolCallId: string
}

/** One system message at the start, and no two user or assistant messages in a row. */
function turnsOf(messages: readonly ReadMessage[]): Turn[] {
  const system = messages.filter(({ role }) => role === 'system')
  const others = messages.filter(({ role }) => role !== 'system')
  const turns: Turn[] = []
  for (const message of [...system, ...others]) {
    const turn = turnOf(message)
    const last = turns.at(-1)
    if (last === undefined || !isJoinable(last, turn)) turns.push(turn)
    else turns[turns.length - 1] = { ...turn, parts: [...last.parts, ...turn.parts] }
  }
  return turns
}

function turnOf(read: ReadMessage): Turn {
  const { role, parts, message, param } = read
  for (const part of parts) {
    if (part.type === 'text' || part.type === 'image') continue
    const refusal = `This provider takes no ${part.type}: send text or images.`
    throw parameterError(refusal, `${param}.content`)
  }
  return { role, parts, calls: pastCallsOf(read), toolCallId: textOf(message['tool_call_id']) }
}

const isJoinable = (last: Turn, { role }: Turn) =>
  last.role === role && role !== 'tool' && last.calls.length === 0

function encodeTurn({ role, parts, calls, toolCallId: answers }: Turn): JsonRecord {
  return omitAbsent({
    Role: role,
    ...contentOf(parts, calls.length > 0),
    ToolCallId: answers || undefined,
    ToolCalls: calls.length === 0 ? undefined : calls.map(callOf),
  })
}

const callOf = ({ id, name, ...call }: PastCall, index: number) => ({
  Id: id,
  Type: 'function',
  Function: { Name: name, Arguments: call.arguments },
  Index: index,
})

/** Empty content is rejected, except next to calls; tool results are often empty. */
const EMPTY_CONTENT = ' '

function contentOf(parts: readonly Part[], hasCalls: boolean): JsonRecord {
  if (parts.some(({ type }) => type === 'image')) return { Contents: parts.map(partOf) }
  const texts = parts.map((part) => (part.type === 'text' ? part.text : ''))
  const text = texts.filter((piece) => piece !== '').join('\n')
  return { Content: text === '' && !hasCalls ? EMPTY_CONTENT : text }
}

function partOf(part: Part): JsonRecord {
  return part.type === 'image'
    ? { Type: 'image_url', ImageUrl: { Url: part.url } }
    : { Type: 'text', Text: part.type === 'text' ? part.text : '' }
}

export function embeddingsBody({ request }: ProviderCall): JsonRecord {
  const texts = textsToEmbed(request)
  const [only, ...more] = texts
  return more.length === 0 ? { Input: only } : { InputList: texts }
}
