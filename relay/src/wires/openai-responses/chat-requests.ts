import {
  isPresent,
  isRecord,
  type JsonRecord,
  listOf,
  member,
  omit,
  omitAbsent,
  pick,
  textOf,
} from '../../bytes/json-value.ts'
import { writeJson } from '../../bytes/json-write.ts'
import type { Steps } from '../../bytes/steps.ts'
import { isRequestProblem, type RequestProblem } from '../../errors/request-problem.ts'
import type { TextEndpoint } from '../../provider.ts'
import type { RelayRequest } from '../../relay-request.ts'
import { fieldError, problemOf } from '../fields.ts'
import { type OutlinedBody, readOutline } from '../json-body.ts'
import { argumentsText } from '../openai-chat/call-input.ts'
import { readOutlined, readRequestInSteps } from '../openai-chat/read-head.ts'
import { OPENAI_STYLE, writeChat, writeTool } from '../openai-chat/write-request.ts'
import { flatTool, withoutChatMembers } from './chat-members.ts'
import { readForm, textMembers } from './read-request.ts'
import { readTools } from './read-tools.ts'

/*
 * Cursor's agent sends requests in the form of Responses to chat completions, and its other modes
 * mix tools of both forms (BerriAI/litellm#34029, Soju06/codex-lb#833). It reads answers of chat
 * completions with calls of functions only: the call of a custom tool has the plain text as
 * `arguments`, in the history too (icebear0828/codex-proxy#708, Wei-Shaw/sub2api#5861).
 */

export function* readChatRequest(
  endpoint: TextEndpoint,
  body: Buffer,
): Steps<RelayRequest | RequestProblem> {
  const given = yield* readOutline(body)
  if (isRequestProblem(given)) return given
  const isForeign = endpoint === 'chat' && hasResponsesForm(given.outline)
  return isForeign ? yield* readResponsesForm(given) : yield* readOutlined(endpoint, given)
}

const hasResponsesForm = (members: JsonRecord) =>
  isPresent(members['input']) ||
  isPresent(members['instructions']) ||
  isPresent(members['max_output_tokens']) ||
  isRecord(members['text']) ||
  listOf(members['tools']).some(isFlat)

/** A function or custom tool, or a choice of one, without an object of its own. */
function isFlat(tool: unknown): tool is JsonRecord {
  if (!isRecord(tool)) return false
  const { type, name, input_schema: schema } = tool
  const isKnown = type === 'function' || type === 'custom'
  return isKnown && textOf(name) !== '' && tool[type] === undefined && schema === undefined
}

function* readResponsesForm({ body, whole }: OutlinedBody): Steps<RelayRequest | RequestProblem> {
  const json = yield* whole.prepare()
  const flat = listOf(json['tools']).filter(isFlat)
  const custom = flat.filter(({ type }) => type === 'custom')
  const textTools = new Set(custom.map(({ name }) => textOf(name)))
  const isInput = isPresent(json['input'])
  const chat = isInput ? yield* chatOfInput(json, textTools) : chatOf(json, textTools)
  if (isRequestProblem(chat)) return chat
  const read = yield* readRequestInSteps('chat', yield* writeJson(chat, body.length))
  return isRequestProblem(read) || textTools.size === 0 ? read : { ...read, textTools }
}

function* chatOfInput(
  given: JsonRecord,
  textTools: ReadonlySet<string>,
): Steps<JsonRecord | RequestProblem> {
  const json = withoutChatMembers(given)
  const { input, stream_options } = json
  const form = yield* readForm({
    ...json,
    input: Array.isArray(input) ? input.map((item) => customCall(item, textTools)) : input,
  })
  if (isRequestProblem(form)) return form
  // Vendors refuse the options without a stream.
  const options = form.settings.stream === true ? { stream_options } : {}
  return { ...pick(json, ...CHAT_SETTINGS), ...writeChat(form, STORED), ...options }
}

/** The client's own reasoning, which Claude wants back. */
const STORED = { ...OPENAI_STYLE, keepsThinking: true }

/** Other settings that Responses do not have and that change the answer. */
const CHAT_SETTINGS = [
  'n',
  'seed',
  'top_k',
  'presence_penalty',
  'frequency_penalty',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'modalities',
  'audio',
  'prediction',
  'web_search_options',
  'functions',
  'function_call',
  'thinking',
  'enable_thinking',
  'thinking_budget',
] as const

function customCall(item: unknown, textTools: ReadonlySet<string>): unknown {
  const isText =
    isRecord(item) && item['type'] === 'function_call' && textTools.has(textOf(item['name']))
  return isText
    ? { ...item, type: 'custom_tool_call', input: argumentsText(item['arguments']) }
    : item
}

function chatOf(json: JsonRecord, textTools: ReadonlySet<string>): JsonRecord | RequestProblem {
  try {
    return chatOfMembers(json, textTools)
  } catch (error) {
    return problemOf(error, 'invalid_value')
  }
}

/** Messages next to members of Responses. Throws `UnsupportedParameterError`. */
function chatOfMembers(json: JsonRecord, textTools: ReadonlySet<string>): JsonRecord {
  const { instructions = null, text, max_output_tokens: max_tokens, ...others } = json
  const { messages, tools, tool_choice: choice } = json
  if (instructions !== null && typeof instructions !== 'string')
    throw fieldError('instructions', 'must be a text')
  const calls = (message: unknown) => withFunctionCalls(message, textTools)
  const system = instructions ? [{ role: 'system', content: instructions }] : []
  return {
    ...textMembers({ text }),
    ...(isPresent(max_tokens) && !isPresent(json['max_completion_tokens']) && { max_tokens }),
    ...omitAbsent(others),
    messages: Array.isArray(messages) ? [...system, ...messages.map(calls)] : messages,
    ...(Array.isArray(tools) && { tools: tools.flatMap(nestedTool) }),
    tool_choice: nestedChoice(choice, textTools),
  }
}

function nestedChoice(choice: unknown, textTools: ReadonlySet<string>): unknown {
  const flat = flatTool(choice)
  if (!isRecord(flat)) return choice
  const { type, name, tools, mode } = flat
  if (type === 'allowed_tools') {
    const allowed = listOf(tools).map((tool) => nestedChoice(tool, textTools))
    return { type, allowed_tools: { mode, tools: allowed } }
  }
  const isNamed = isFlat(flat) && (isFlat(choice) || textTools.has(textOf(name)))
  return isNamed ? { type: 'function', function: { name } } : choice
}

const nestedTool = (tool: unknown): unknown[] =>
  isFlat(tool) ? readTools({ tools: [tool] }).tools.map(writeTool) : [tool]

function withFunctionCalls(message: unknown, textTools: ReadonlySet<string>): unknown {
  const calls = member(message, 'tool_calls')
  if (!isRecord(message) || !Array.isArray(calls)) return message
  return { ...message, tool_calls: calls.map((call) => functionCall(call, textTools)) }
}

function functionCall(call: unknown, textTools: ReadonlySet<string>): unknown {
  const definition = member(call, 'custom') ?? member(call, 'function')
  const name = textOf(member(definition, 'name'))
  if (!isRecord(call) || !textTools.has(name)) return call
  const input = argumentsText(member(definition, 'input') ?? member(definition, 'arguments'))
  const written = { name, arguments: JSON.stringify({ input }) }
  return { ...omit(call, 'custom'), type: 'function', function: written }
}
