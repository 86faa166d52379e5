import { isRecord, member, type JsonRecord, omit, listOf, textOf } from '../../json-value.ts'
import type { RelayRequest } from '../../relay-request.ts'
import { isRequestProblem, type RequestProblem } from '../../request-problem.ts'
import type { Steps } from '../../steps.ts'
import { type FieldProblem, isFieldProblem, fieldProblem } from '../fields.ts'
import { readWholeBody } from '../openai/json-body.ts'
import { readTranslated } from '../openai/request.ts'
import { chatMessages } from './items.ts'
import type { ResponseContext } from './response-context.ts'
import { type ReadTools, readTools } from './tools.ts'

const OUTPUT_TOKENS_MAX = 2 ** 30 - 1
const LOGPROBS_MAX = 20
const ENCRYPTED_REASONING = 'reasoning.encrypted_content'
const LOGPROBS = 'message.output_text.logprobs'

const NOT_STORED =
  'Responses are not stored here. Send the earlier items again in `input`. To keep the reasoning,' +
  ` request \`${ENCRYPTED_REASONING}\` in \`include\` and send the reasoning items back as well.`

/** Members that need stored data, with the alternative for each. */
const STATEFUL_MEMBERS: Readonly<Record<string, string>> = {
  previous_response_id: NOT_STORED,
  conversation: NOT_STORED,
  prompt:
    'Prompt templates are not stored here. Send their text as `instructions` and `input`, with the variables filled in.',
  background:
    'Responses are not stored here and cannot be fetched later. Wait for the response, or set `stream`.',
}

export type ResponsesRequest = { readonly request: RelayRequest; readonly context: ResponseContext }

export function* readResponsesRequest(body: Buffer): Steps<ResponsesRequest | RequestProblem> {
  const given = yield* readWholeBody(body)
  if (isRequestProblem(given)) return given
  const { json } = given
  const refused = Object.keys(STATEFUL_MEMBERS).find((name) => isSet(json[name]))
  if (refused !== undefined) {
    const message = `'${refused}' is not possible. ${STATEFUL_MEMBERS[refused]}`
    return problem(message, refused, 'unsupported_parameter')
  }
  const read = yield* chatRequest(json)
  if (isFieldProblem(read)) {
    const { param, message } = read
    return problem(`'${param}' ${message}.`, param, 'invalid_value')
  }
  const relayed = yield* readTranslated('chat', read.chat, given)
  if (isRequestProblem(relayed)) return relayed
  return { request: { ...relayed, hasExtensions: true }, context: contextOf(json, read.tools) }
}

export function* readInputTokensRequest(body: Buffer): Steps<RelayRequest | RequestProblem> {
  const read = yield* readResponsesRequest(body)
  return 'context' in read ? read.request : read
}

const problem = (message: string, param: string | null, code: string | null): RequestProblem => ({
  type: 'invalid_request_error',
  message,
  param,
  code,
})

const isSet = (value: unknown) => value !== undefined && value !== null && value !== false

type ReadChat = { readonly chat: JsonRecord; readonly tools: ReadTools }

function* chatRequest(json: JsonRecord): Steps<ReadChat | FieldProblem> {
  const { model, input, stream, temperature, top_p } = json
  if (typeof model !== 'string' || model === '') return fieldProblem('model', 'is missing')
  if (typeof input !== 'string' && !Array.isArray(input)) {
    return fieldProblem('input', 'must be a string or an array of items')
  }
  const limit = limitOf(json['max_output_tokens'])
  if (isFieldProblem(limit)) return limit
  const messages = yield* chatMessages(json['instructions'], input)
  if (isFieldProblem(messages)) return messages
  if (messages.length === 0) return fieldProblem('input', 'must say something')
  const tools = readTools(json)
  if (isFieldProblem(tools)) return tools
  const format = formatMember(json)
  if (isFieldProblem(format)) return format
  const chat = {
    model,
    messages,
    ...limit,
    ...(stream === true ? { stream: true, stream_options: { include_usage: true } } : {}),
    ...(typeof temperature === 'number' ? { temperature } : {}),
    ...(typeof top_p === 'number' ? { top_p } : {}),
    ...tools.members,
    ...format,
    ...logprobMembers(json),
    ...textMember('reasoning_effort', member(json['reasoning'], 'effort')),
    ...textMember('verbosity', member(json['text'], 'verbosity')),
    ...textMember('prompt_cache_key', json['prompt_cache_key']),
    ...textMember('user', json['user'] ?? json['safety_identifier']),
  }
  return { chat, tools }
}

function limitOf(limit: unknown): JsonRecord | FieldProblem {
  if (limit === undefined || limit === null) return {}
  const isLimit = typeof limit === 'number' && Number.isInteger(limit)
  if (isLimit && limit >= 1 && limit <= OUTPUT_TOKENS_MAX) return { max_tokens: limit }
  return fieldProblem('max_output_tokens', `must be an integer from 1 to ${OUTPUT_TOKENS_MAX}`)
}

const textMember = (name: string, value: unknown): JsonRecord =>
  textOf(value) === '' ? {} : { [name]: value }

function formatMember(json: JsonRecord): JsonRecord | FieldProblem {
  const format = member(json['text'], 'format')
  if (!isRecord(format)) return {}
  switch (format['type']) {
    case 'text':
      return {}
    case 'json_object':
      return { response_format: { type: 'json_object' } }
    case 'json_schema': {
      if (!isRecord(format['schema'])) return fieldProblem('text.format.schema', 'is missing')
      return { response_format: { type: 'json_schema', json_schema: omit(format, 'type') } }
    }
    default:
      return fieldProblem('text.format.type', "must be 'text', 'json_object' or 'json_schema'")
  }
}

function logprobMembers({ include, top_logprobs: top }: JsonRecord): JsonRecord {
  const topLogprobs = typeof top === 'number' ? Math.min(Math.max(top, 0), LOGPROBS_MAX) : 0
  if (topLogprobs === 0 && !listOf(include).includes(LOGPROBS)) return {}
  return { logprobs: true, ...(topLogprobs === 0 ? {} : { top_logprobs: topLogprobs }) }
}

/** Settings absent from the request are null, as in OpenAI's responses. `store` is always false. */
function contextOf(json: JsonRecord, { kinds }: ReadTools): ResponseContext {
  const { reasoning, text } = json
  const echoed = (name: string, fallback: unknown = null) => json[name] ?? fallback
  return {
    tools: kinds,
    encryptsReasoning: listOf(json['include']).includes(ENCRYPTED_REASONING),
    echoedSettings: {
      background: false,
      instructions: echoed('instructions'),
      max_output_tokens: echoed('max_output_tokens'),
      max_tool_calls: echoed('max_tool_calls'),
      metadata: echoed('metadata', {}),
      parallel_tool_calls: echoed('parallel_tool_calls', true),
      previous_response_id: null,
      prompt_cache_key: echoed('prompt_cache_key'),
      reasoning: { effort: null, summary: null, ...(isRecord(reasoning) ? reasoning : {}) },
      safety_identifier: echoed('safety_identifier'),
      store: false,
      temperature: echoed('temperature'),
      text: { format: { type: 'text' }, ...(isRecord(text) ? text : {}) },
      tool_choice: echoed('tool_choice', 'auto'),
      tools: echoed('tools', []),
      top_logprobs: echoed('top_logprobs', 0),
      top_p: echoed('top_p'),
      truncation: 'disabled',
      user: echoed('user'),
    },
  }
}
