import { type JsonRecord, member, textOf, clamp, omitAbsent, pick } from '../../bytes/json-value.ts'
import { cardFor } from '../../cards/card-of.ts'
import type { Adaptations } from '../../fit/adaptations.ts'
import { fitUserId, rejectSchema } from '../../fit/settings.ts'
import { outputLimitOf } from '../../form/request.ts'
import {
  forcedFunction,
  functionsOf,
  messagesOf,
  pastCallsOf,
  plainTextOf,
  type ReadMessage,
  rejectParameters,
  textsToEmbed,
  toolChoiceOf,
} from '../../wires/openai-chat/chat-request.ts'
import type { ProviderCall } from '../../wires/provider-codec.ts'

const OUTPUT_TOKENS_MIN = 2

export function chatBody(call: ProviderCall): JsonRecord {
  const { request, stream } = call
  rejectParameters(request, 'n', 'logprobs', 'audio', 'web_search_options')
  rejectSchema(request)
  const { temperature, top_p: topP, stop, user, frequency_penalty: penalty } = request
  const messages = messagesOf(call)
  const system = messages.filter(({ role }) => role === 'system').map(plainTextOf)
  const limit = outputLimitOf(request)
  return omitAbsent({
    messages: turnsOf(
      messages.filter(({ role }) => role !== 'system'),
      call.adaptations,
    ),
    system: system.join('\n') || undefined,
    temperature: clamp(temperature, 0.01, 1),
    top_p: clamp(topP, 0, 1),
    penalty_score: request['penalty_score'] ?? penaltyOf(penalty),
    stream: stream || undefined,
    stop: typeof stop === 'string' ? [stop] : stop,
    max_output_tokens: limit && Math.max(OUTPUT_TOKENS_MIN, limit),
    response_format: member(request['response_format'], 'type'),
    user_id: typeof user === 'string' ? fitUserId(user, cardFor(call, 'baidu')) : user,
    ...functionMembers(request),
    ...pick(request, 'disable_search', 'enable_citation'),
  })
}

/** Baidu's scale is 1 (none) to 2. OpenAI's is 0 (none) to 2; below 0 it rewards repetition. */
function penaltyOf(penalty: unknown): number | undefined {
  return typeof penalty === 'number' && penalty > 0 ? 1 + Math.min(penalty, 2) / 2 : undefined
}

function functionMembers(request: JsonRecord): JsonRecord {
  const functions = functionsOf(request)
  const choice = toolChoiceOf(request)
  if (functions.length === 0 || choice?.type === 'none') return {}
  const forced = forcedFunction(choice, functions)
  return {
    functions: functions.map(({ parameters, ...named }) =>
      omitAbsent({ ...named, parameters: parameters ?? NO_PARAMETERS }),
    ),
    tool_choice: forced && { type: 'function', function: { name: forced.name } },
  }
}

const NO_PARAMETERS = { type: 'object', properties: {} }

type Turn = {
  readonly role: string
  readonly content: string
  readonly name?: string
  readonly function_call?: JsonRecord
}

/** User and assistant alternate, each call is followed by its result, and no content is empty. */
function turnsOf(messages: readonly ReadMessage[], adaptations?: Adaptations): Turn[] {
  const results = messages.filter(({ role }) => role === 'tool')
  const turns: Turn[] = []
  const called = new Set<string>()
  for (const message of messages) {
    if (message.role === 'tool') {
      if (called.has(textOf(message.message['tool_call_id']))) continue
      adaptations?.note('tool_results')
      addOrMerge(turns, withoutCall(message))
    } else if (pastCallsOf(message).length === 0) addOrMerge(turns, message)
    else {
      turns.push(...callsWithResults(message, results))
      for (const { id } of pastCallsOf(message)) called.add(id)
    }
  }
  return turns.map((turn) =>
    turn.content === '' && turn.function_call === undefined
      ? { ...turn, content: EMPTY_CONTENT }
      : turn,
  )
}

/** Empty content is rejected, but function results are often empty. */
const EMPTY_CONTENT = ' '

/** A result whose call is missing becomes a message of the user. */
const withoutCall = (result: ReadMessage): ReadMessage => ({
  ...result,
  role: 'user',
  parts: [
    { type: 'text', text: 'Result of a tool call:', cacheControl: undefined },
    ...result.parts,
  ],
})

function addOrMerge(turns: Turn[], message: ReadMessage): void {
  const { role } = message
  const content = plainTextOf(message)
  const last = turns.at(-1)
  const follows = last?.role === role && last.function_call === undefined
  if (last === undefined || !follows) turns.push({ role, content })
  else turns[turns.length - 1] = { role, content: `${last.content}\n${content}` }
}

/** Parallel calls are written in sequence, because an assistant makes one call at a time here. */
function callsWithResults(message: ReadMessage, results: readonly ReadMessage[]): Turn[] {
  return pastCallsOf(message).flatMap(({ id, name, ...call }, position) => {
    const content = position === 0 ? plainTextOf(message) : ''
    const function_call = { name, arguments: call.arguments }
    const callTurn = { role: 'assistant', content, function_call }
    const result = results.find((candidate) => candidate.message['tool_call_id'] === id)
    if (result === undefined) return [callTurn]
    return [callTurn, { role: 'function', name, content: plainTextOf(result) }]
  })
}

export function embeddingsBody({ request }: ProviderCall): JsonRecord {
  return omitAbsent({ input: textsToEmbed(request), user_id: request['user'] })
}
