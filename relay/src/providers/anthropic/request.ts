import { hasReasoning, noteSettings } from '../../adaptations.ts'
import { cardFor } from '../../cards/card-of.ts'
import { maxOutputTokens } from '../../cards/model-facts.ts'
import { pick } from '../../codec/chat-request.ts'
import { joinAddress } from '../../codec/join-address.ts'
import type { NativeRequest } from '../../codec/native-codec.ts'
import {
  type EncodedCall,
  type ProviderCall,
  UnsupportedParameterError,
} from '../../codec/provider-codec.ts'
import { fitUserId } from '../../fit/settings.ts'
import { isRecord, listOf, member, type JsonRecord, textOf } from '../../json-value.ts'
import { headerText } from '../../upstream-request.ts'
import { cacheMark, textBlocks } from './blocks.ts'
import { limitCacheMarks } from './cache-marks.ts'
import { anthropic } from './descriptor.ts'
import {
  endingWithUser,
  lacksThinking,
  readConversation,
  type Turn,
  withTrimmedPrefill,
} from './messages.ts'
import { type ModelTraits, traitsOf } from './models.ts'
import { strictSchema } from './schema.ts'
import { requestedReasoning, thinkingSettings, type ThinkingSettings } from './thinking.ts'
import { answerSchema, toolSettings, type ToolSettings } from './tools.ts'

const VERSION = '2023-06-01'
/** Subscription tokens used in place of a key; they need a header of their own. */
const OAUTH_KEY = /^sk-ant-oat/
const OAUTH_BETA = 'oauth-2025-04-20'
/** Every Anthropic model accepts this limit. */
const OUTPUT_TOKENS_DEFAULT = 4096

export function encode(call: ProviderCall): EncodedCall {
  rejectUnsupported(call.request)
  const body = Buffer.from(JSON.stringify({ ...messagesRequest(call), stream: call.stream }))
  return messagesCall(call, { body, headers: {} })
}

export function messagesCall(
  { channel, stream }: Pick<ProviderCall, 'channel' | 'stream'>,
  { body, headers }: NativeRequest,
): EncodedCall {
  const keyHeader = keyHeaders(headerText(channel.key))
  const betas = [keyHeader['anthropic-beta'] ?? [], headers['anthropic-beta'] ?? []]
    .flat()
    .join(',')
  return {
    url: joinAddress(channel.baseUrl, anthropic.baseUrl, '/v1/messages'),
    headers: {
      'anthropic-version': VERSION,
      ...headers,
      ...keyHeader,
      ...(betas === '' ? {} : { 'anthropic-beta': betas }),
      'content-type': 'application/json',
      accept: stream ? 'text/event-stream' : 'application/json',
      'accept-encoding': 'identity',
    },
    body,
  }
}

function keyHeaders(key: string): Record<string, string> {
  return OAUTH_KEY.test(key)
    ? { authorization: `Bearer ${key}`, 'anthropic-beta': OAUTH_BETA }
    : { 'x-api-key': key }
}

function rejectUnsupported(request: JsonRecord): void {
  const { n, modalities } = request
  if (typeof n === 'number' && n > 1) {
    throw new UnsupportedParameterError("'n' must be 1: Anthropic makes one answer at a time.", 'n')
  }
  if (request['logprobs'] === true) {
    throw new UnsupportedParameterError("'logprobs' is not possible with Anthropic.", 'logprobs')
  }
  if (Array.isArray(modalities) && modalities.some((modality) => modality !== 'text')) {
    throw new UnsupportedParameterError("'modalities' must be text with Anthropic.", 'modalities')
  }
  for (const name of ['audio', 'web_search_options']) {
    if (!isRecord(request[name])) continue
    throw new UnsupportedParameterError(`'${name}' is not possible with Anthropic.`, name)
  }
}

function messagesRequest(call: ProviderCall): JsonRecord {
  const { request, model, channel } = call
  const traits = traitsOf(model, channel.cardOf)
  const maxTokens = outputLimit(call)
  const messages = Array.isArray(request['messages']) ? request['messages'] : []
  const { system, turns } = readConversation(messages, model)
  const tools = toolSettings(request, traits)
  const isMidway = lacksThinking(turns)
  const thinkingConfig = thinkingSettings(requestedReasoning(request), traits, {
    maxTokens,
    mustCall: tools.mustCall,
    isMidway,
  })
  const systemBlocks = [...system, ...instructions(request, traits, tools)]
  const sent = limitCacheMarks({
    model,
    max_tokens: maxTokens,
    ...(systemBlocks.length === 0 ? {} : { system: systemBlocks }),
    messages: endingTurns(turns, traits, thinkingConfig),
    ...toolMembers(tools, traits),
    ...(thinkingConfig.thinking === undefined ? {} : { thinking: thinkingConfig.thinking }),
    ...outputConfig(request, traits, thinkingConfig),
    ...sampling(request, traits, thinkingConfig),
    ...stopSequences(request['stop']),
    ...userId(call),
    ...cacheMark(request),
  })
  noteAdaptations(call, sent, { turns, choice: tools.choice, isThinking: thinkingConfig.isEnabled })
  return sent
}

type Sent = {
  readonly turns: readonly Turn[]
  readonly choice: JsonRecord | null
  readonly isThinking: boolean
}

function noteAdaptations(
  { request, adaptations }: ProviderCall,
  sent: JsonRecord,
  { turns, choice, isThinking }: Sent,
): void {
  if (adaptations === undefined) return
  const { stop, user, reasoning_effort: effort, response_format: format } = request
  const { stop_sequences: stops, metadata, tool_choice: sentChoice = null } = sent
  const isOff = effort === 'none' && !isThinking
  noteSettings(adaptations, request, {
    ...pick(sent, 'max_tokens', 'temperature', 'top_p'),
    stop: listOf(stops).length === [stop].flat().length ? stop : stops,
    user: member(metadata, 'user_id') === user ? user : undefined,
    reasoning_effort: isThinking || isOff ? effort : undefined,
    tool_choice: sentChoice === choice ? request['tool_choice'] : undefined,
    parallel_tool_calls: request['parallel_tool_calls'],
    response_format: member(format, 'type') === 'json_schema' ? format : undefined,
  })
  const thinkers = turns.filter(({ content }) => content.some(isReasoning))
  const given = listOf(request['messages']).filter(isRecord).filter(hasReasoning)
  if (thinkers.length < given.length) adaptations.note('reasoning')
}

const isReasoning = ({ type }: JsonRecord) => type === 'thinking' || type === 'redacted_thinking'

function outputLimit({ request, model, channel }: ProviderCall): number {
  const max = maxOutputTokens(model, channel.cardOf)
  const given = [request['max_completion_tokens'], request['max_tokens']].filter(isPositive)
  if (given.length === 0) return max ?? OUTPUT_TOKENS_DEFAULT
  return Math.min(Math.max(...given), max ?? Infinity)
}

const isPositive = (value: unknown): value is number => typeof value === 'number' && value > 0

function endingTurns(
  turns: readonly Turn[],
  { acceptsPrefill }: ModelTraits,
  { isEnabled: isThinking }: ThinkingSettings,
): Turn[] {
  return acceptsPrefill && !isThinking ? withTrimmedPrefill(turns) : endingWithUser(turns)
}

/** Turns parameters without an equivalent into instructions, after the client's own. */
function instructions(
  request: JsonRecord,
  traits: ModelTraits,
  { choice }: ToolSettings,
): JsonRecord[] {
  const isJson = member(request['response_format'], 'type') === 'json_object'
  const json = isJson ? textBlocks('Answer with one JSON object and nothing else.') : []
  return [...json, ...(traits.thinking === 'always' ? toolCallInstruction(choice) : [])]
}

function toolCallInstruction(choice: JsonRecord | null): JsonRecord[] {
  if (choice?.['type'] === 'any') return textBlocks('Answer by calling one of the tools.')
  if (choice?.['type'] !== 'tool') return []
  return textBlocks(`Answer by calling the tool ${textOf(choice['name'])}.`)
}

/** A model that always reasons rejects a forced tool call. */
function toolMembers({ tools, choice, mustCall }: ToolSettings, traits: ModelTraits): JsonRecord {
  if (tools.length === 0) return {}
  if (choice === null) return { tools }
  if (!mustCall || traits.thinking !== 'always') return { tools, tool_choice: choice }
  const { disable_parallel_tool_use: isAlone } = choice
  const alone = isAlone === true ? { disable_parallel_tool_use: true } : {}
  return { tools, tool_choice: { type: 'auto', ...alone } }
}

function outputConfig(
  request: JsonRecord,
  { acceptsSchemas }: ModelTraits,
  { effort }: ThinkingSettings,
): JsonRecord {
  const schema = acceptsSchemas ? answerSchema(request) : undefined
  const format = schema && { type: 'json_schema', schema: strictSchema(schema) }
  if (format === undefined && effort === undefined) return {}
  return { output_config: { ...(effort && { effort }), ...(format && { format }) } }
}

/** Only one of temperature and top_p is accepted, and neither while the model reasons. */
function sampling(
  { temperature, top_p: topP }: JsonRecord,
  { acceptsSampling }: ModelTraits,
  { isEnabled: isThinking }: ThinkingSettings,
): JsonRecord {
  if (!acceptsSampling || isThinking) return {}
  if (typeof temperature === 'number') return { temperature: Math.min(temperature, 1) }
  return typeof topP === 'number' ? { top_p: topP } : {}
}

/** Stop sequences of white space alone are rejected. */
function stopSequences(stop: unknown): JsonRecord {
  const given = (Array.isArray(stop) ? stop : [stop]).filter((text) => textOf(text).trim() !== '')
  return given.length === 0 ? {} : { stop_sequences: given }
}

function userId(call: ProviderCall): JsonRecord {
  const { user, safety_identifier: identifier } = call.request
  const id = textOf(user) || textOf(identifier)
  return id === '' ? {} : { metadata: { user_id: fitUserId(id, cardFor(call, 'anthropic')) } }
}
