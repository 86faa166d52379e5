import { headerText, joinAddress, jsonHeaders } from '../../addresses/upstream-request.ts'
import { listOf, member, type JsonRecord, textOf, pick } from '../../bytes/json-value.ts'
import { cardFor } from '../../cards/card-of.ts'
import { maxOutputTokens } from '../../cards/model-facts.ts'
import { type Adaptations, noteSettings } from '../../fit/adaptations.ts'
import { requestedReasoning } from '../../fit/requested-reasoning.ts'
import { fitUserId } from '../../fit/settings.ts'
import { parameterError } from '../../form/codec-errors.ts'
import { type ChatForm, reasons, type Settings, outputLimitOf } from '../../form/request.ts'
import { anthropic } from '../../providers/anthropic/descriptor.ts'
import type { NativeRequest } from '../native-codec.ts'
import { formOf } from '../openai-chat/read-request.ts'
import type { EncodedCall, ProviderCall } from '../provider-codec.ts'
import { limitCacheMarks } from './cache-marks.ts'
import { type ModelTraits, traitsOf } from './model-traits.ts'
import { cacheMember, textContent } from './write-content.ts'
import {
  conversationOf,
  endingWithUser,
  lacksThinking,
  type Turn,
  withTrimmedPrefill,
} from './write-messages.ts'
import { strictSchema } from './write-schema.ts'
import { thinkingSettings, type ThinkingSettings } from './write-thinking.ts'
import { answerSchema, toolSettings, type ToolSettings } from './write-tools.ts'

const VERSION = '2023-06-01'
/** Subscription tokens used in place of a key; they need a header of their own. */
const OAUTH_KEY = /^sk-ant-oat/
const OAUTH_BETA = 'oauth-2025-04-20'
/** Every Anthropic model accepts this limit. */
const OUTPUT_TOKENS_DEFAULT = 4096

export function encode(call: ProviderCall): EncodedCall {
  const form = formOf(call)
  rejectUnsupported(form.settings)
  const body = Buffer.from(JSON.stringify({ ...messagesRequest(form, call), stream: call.stream }))
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
      ...jsonHeaders(stream),
    },
    body,
  }
}

function keyHeaders(key: string): Record<string, string> {
  return OAUTH_KEY.test(key)
    ? { authorization: `Bearer ${key}`, 'anthropic-beta': OAUTH_BETA }
    : { 'x-api-key': key }
}

function rejectUnsupported({ n = 1, logprobs, modalities = [], ...settings }: Settings): void {
  if (n > 1) {
    throw parameterError("'n' must be 1: Anthropic makes one answer at a time.", 'n')
  }
  if (logprobs === true) {
    throw parameterError("'logprobs' is not possible with Anthropic.", 'logprobs')
  }
  if (modalities.some((modality) => modality !== 'text')) {
    throw parameterError("'modalities' must be text with Anthropic.", 'modalities')
  }
  for (const name of ['audio', 'web_search_options'] as const) {
    if (settings[name] === undefined) continue
    throw parameterError(`'${name}' is not possible with Anthropic.`, name)
  }
}

function messagesRequest(form: ChatForm, call: ProviderCall): JsonRecord {
  const { settings } = form
  const { model, channel } = call
  const traits = traitsOf(model, channel.cardOf)
  const maxTokens = outputLimit(settings, call)
  const { system, turns } = conversationOf(form.messages, model, call.adaptations)
  const tools = toolSettings(form, traits)
  const isMidway = lacksThinking(turns)
  const thinkingConfig = thinkingSettings(requestedReasoning(settings), traits, {
    maxTokens,
    mustCall: tools.mustCall,
    isMidway,
  })
  const output = outputConfig(settings, traits, thinkingConfig)
  const isFormatted = member(output['output_config'], 'format') !== undefined
  const continues = traits.acceptsPrefill && !thinkingConfig.isEnabled && !isFormatted
  const systemBlocks = [...system, ...instructions(settings, traits, tools)]
  const sent = limitCacheMarks({
    model,
    max_tokens: maxTokens,
    ...(systemBlocks.length === 0 ? {} : { system: systemBlocks }),
    messages: continues ? withTrimmedPrefill(turns) : endingWithUser(turns),
    ...toolMembers(tools, traits),
    ...(thinkingConfig.thinking === undefined ? {} : { thinking: thinkingConfig.thinking }),
    ...output,
    ...sampling(settings, traits, thinkingConfig),
    ...stopSequences(settings),
    ...userId(settings, call),
    ...cacheMember(settings.cache_control),
  })
  noteAdaptations(form, sent, {
    adaptations: call.adaptations,
    turns,
    choice: tools.choice,
    isThinking: thinkingConfig.isEnabled,
  })
  return sent
}

type Sent = {
  readonly adaptations: Adaptations | undefined
  readonly turns: readonly Turn[]
  readonly choice: JsonRecord | null
  readonly isThinking: boolean
}

function noteAdaptations(
  { messages, settings }: ChatForm,
  sent: JsonRecord,
  { adaptations, turns, choice, isThinking }: Sent,
): void {
  if (adaptations === undefined) return
  const { stop = [], user, reasoning_effort: effort, response_format: format } = settings
  const { stop_sequences: stops, metadata, tool_choice: sentChoice = null } = sent
  const isOff = effort === 'none' && !isThinking
  noteSettings(adaptations, settings, {
    ...pick(sent, 'max_tokens', 'temperature', 'top_p'),
    stop: listOf(stops).length === stop.length ? stop : stops,
    user: member(metadata, 'user_id') === user ? user : undefined,
    reasoning_effort: isThinking || isOff ? effort : undefined,
    tool_choice: sentChoice === choice ? settings.tool_choice : undefined,
    parallel_tool_calls: settings.parallel_tool_calls,
    response_format: member(format, 'type') === 'json_schema' ? format : undefined,
  })
  const thinkers = turns.filter(({ content }) => content.some(isReasoning))
  if (thinkers.length < messages.filter(reasons).length) adaptations.note('reasoning')
}

const isReasoning = ({ type }: JsonRecord) => type === 'thinking' || type === 'redacted_thinking'

function outputLimit(settings: Settings, { model, channel }: ProviderCall): number {
  const max = maxOutputTokens(model, channel.cardOf)
  const given = outputLimitOf(settings)
  return given === undefined ? (max ?? OUTPUT_TOKENS_DEFAULT) : Math.min(given, max ?? Infinity)
}

/** Turns parameters without an equivalent into instructions, after the client's own. */
function instructions(
  { response_format: format }: Settings,
  traits: ModelTraits,
  { choice }: ToolSettings,
): JsonRecord[] {
  const isJson = member(format, 'type') === 'json_object'
  const json = isJson ? textContent('Answer with one JSON object and nothing else.') : []
  return [...json, ...(traits.thinking === 'always' ? toolCallInstruction(choice) : [])]
}

function toolCallInstruction(choice: JsonRecord | null): JsonRecord[] {
  if (choice?.['type'] === 'any') return textContent('Answer by calling one of the tools.')
  if (choice?.['type'] !== 'tool') return []
  return textContent(`Answer by calling the tool ${textOf(choice['name'])}.`)
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
  settings: Settings,
  { acceptsSchemas }: ModelTraits,
  { effort }: ThinkingSettings,
): JsonRecord {
  const schema = acceptsSchemas ? answerSchema(settings) : undefined
  const format = schema && { type: 'json_schema', schema: strictSchema(schema) }
  if (format === undefined && effort === undefined) return {}
  return { output_config: { ...(effort && { effort }), ...(format && { format }) } }
}

/** Only one of temperature and top_p is accepted, and neither while the model reasons. */
function sampling(
  { temperature, top_p: topP }: Settings,
  { acceptsSampling }: ModelTraits,
  { isEnabled: isThinking }: ThinkingSettings,
): JsonRecord {
  if (!acceptsSampling || isThinking) return {}
  if (temperature !== undefined) return { temperature: Math.min(temperature, 1) }
  return topP === undefined ? {} : { top_p: topP }
}

/** Stop sequences of white space alone are rejected. */
function stopSequences({ stop = [] }: Settings): JsonRecord {
  const given = stop.filter((text) => text.trim() !== '')
  return given.length === 0 ? {} : { stop_sequences: given }
}

function userId({ user = '', safety_identifier = '' }: Settings, call: ProviderCall): JsonRecord {
  const id = user || safety_identifier
  return id === '' ? {} : { metadata: { user_id: fitUserId(id, cardFor(call, 'anthropic')) } }
}
