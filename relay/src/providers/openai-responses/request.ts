import { noteChanges, noteSettings } from '../../adaptations.ts'
import { cardFor, hostOf } from '../../cards/card-of.ts'
import type { ModelCard } from '../../cards/model-card.ts'
import { outputLimitOf, pick } from '../../codec/chat-request.ts'
import { type ProviderCall, UnsupportedParameterError } from '../../codec/provider-codec.ts'
import { fitChat } from '../../fit/fit-chat.ts'
import { isRecord, type JsonRecord, listOf, member, omit } from '../../json-value.ts'
import type { ProviderDescriptor } from '../../provider.ts'
import { readChatForm } from '../../wires/openai-chat/read-request.ts'
import { inputOf } from './items.ts'
import { toolMembers } from './tools.ts'

/** The API rejects lower limits. */
export const OUTPUT_TOKENS_MIN = 16

/** Throws `UnsupportedParameterError`. */
export function responsesRequest(descriptor: ProviderDescriptor, call: ProviderCall): JsonRecord {
  const { request, model, stream, hasExtensions = false } = call
  const card = responsesCard(descriptor, call)
  const messages = listOf(request['messages']).map(withStoredReasoning)
  const fitted = fitChat({ ...request, messages }, card)
  const form = readChatForm({ ...fitted, messages: listOf(fitted['messages']).map(withDetails) })
  rejectUnsupported(fitted)
  // The word JSON, which must be somewhere in the input, does not count in the instructions.
  const hasInstructions = member(fitted['response_format'], 'type') !== 'json_object'
  const { instructions, items } = inputOf(form.messages, { model, hasInstructions })
  const logprobs = logprobMembers(fitted)
  const include = [
    ...(reasons(card) ? ['reasoning.encrypted_content'] : []),
    ...(logprobs === null ? [] : ['message.output_text.logprobs']),
  ]
  const limit = outputLimitOf(fitted)
  noteChanges(call.adaptations, { ...request, messages }, fitted)
  noteSettings(call.adaptations, fitted, omit(fitted, ...LACKING))
  return {
    model,
    ...(instructions === '' ? {} : { instructions }),
    input: items,
    ...(stream ? { stream } : {}),
    store: false,
    ...(include.length === 0 ? {} : { include }),
    ...(limit === undefined ? {} : { max_output_tokens: Math.max(limit, OUTPUT_TOKENS_MIN) }),
    ...toolMembers(form),
    ...textMember(fitted),
    ...(reasons(card) ? reasoningMember(fitted, hasExtensions) : {}),
    ...logprobs,
    ...pick(fitted, 'temperature', 'top_p', 'user', 'safety_identifier', 'service_tier'),
    ...pick(fitted, 'metadata', 'prompt_cache_key', 'prompt_cache_retention'),
  }
}

/** Keeps encrypted reasoning while the request is fitted to what chat completions take. */
const STORED_REASONING = 'stored_reasoning'

const withStoredReasoning = (message: unknown): unknown =>
  isRecord(message) && 'reasoning_details' in message
    ? { ...message, [STORED_REASONING]: message['reasoning_details'] }
    : message

const withDetails = (message: unknown): unknown =>
  isRecord(message) ? { ...message, reasoning_details: message[STORED_REASONING] } : message

/** Settings of chat completions that the API does not have. */
const LACKING = [
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'logit_bias',
  'top_k',
  'safety_settings',
] as const

const reasons = ({ reasoning }: ModelCard) => reasoning.how !== 'none'

/** What the model accepts in the Responses API. */
function responsesCard(descriptor: ProviderDescriptor, call: ProviderCall): ModelCard {
  const card = cardFor(call, hostOf(descriptor, call.channel.baseUrl))
  const { reasoning } = card
  // BerriAI/litellm: chat completions of the same models refuse this effort.
  const isStronger = reasoning.inChat === 'no_tools_unless_off' && reasoning.efforts !== null
  const efforts = isStronger ? [...(reasoning.efforts ?? []), 'max' as const] : reasoning.efforts
  return { ...card, reasoning: { ...reasoning, inChat: 'all', efforts } }
}

function rejectUnsupported(request: JsonRecord): void {
  const { n, modalities, stop } = request
  if (typeof n === 'number' && n > 1) throw impossible('n', 'must be 1')
  if (isRecord(request['audio']) || listOf(modalities).some((one) => one !== 'text')) {
    throw impossible('modalities', 'must be text')
  }
  if (typeof stop === 'string' || listOf(stop).length > 0)
    throw impossible('stop', 'is not possible')
  if (isRecord(request['web_search_options'])) {
    throw impossible('web_search_options', 'is not possible')
  }
}

const impossible = (name: string, rule: string) =>
  new UnsupportedParameterError(
    `'${name}' ${rule}: this channel serves the model by the Responses API.`,
    name,
  )

function logprobMembers({ logprobs, top_logprobs: top }: JsonRecord): JsonRecord | null {
  if (logprobs !== true) return null
  return typeof top === 'number' ? { top_logprobs: top } : {}
}

function textMember({ response_format: format, verbosity }: JsonRecord): JsonRecord {
  const text = { ...formatMember(format), ...pick({ verbosity }, 'verbosity') }
  return Object.keys(text).length === 0 ? {} : { text }
}

function formatMember(format: unknown): JsonRecord {
  const type = member(format, 'type')
  const schema = member(format, 'json_schema')
  if (type === 'json_schema' && isRecord(schema))
    return { format: { type, ...omit(schema, 'type') } }
  return type === 'json_object' ? { format: { type } } : {}
}

/**
 * A summary is requested only if the dialect shows reasoning and the request names an effort:
 * OpenAI summarizes for verified organizations only.
 */
function reasoningMember({ reasoning_effort: effort }: JsonRecord, isShown: boolean): JsonRecord {
  if (effort === undefined || effort === null) return {}
  const summary = isShown && effort !== 'none' ? { summary: 'auto' } : {}
  return { reasoning: { effort, ...summary } }
}
