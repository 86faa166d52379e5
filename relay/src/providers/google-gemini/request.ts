import { noteSettings } from '../../adaptations.ts'
import { cardFor } from '../../cards/card-of.ts'
import { outputLimitOf, pick } from '../../codec/chat-request.ts'
import type { NativeRequest } from '../../codec/native-codec.ts'
import {
  type EncodedCall,
  type ProviderCall,
  UnsupportedParameterError,
} from '../../codec/provider-codec.ts'
import { isRecord, member, type JsonRecord, textOf } from '../../json-value.ts'
import { googleHeaders, methodAddress } from './address.ts'
import { readConversation, type Conversation } from './contents.ts'
import { type ModelTraits, traitsOf } from './models.ts'
import { textParts } from './parts.ts'
import { openApiSchema } from './schema.ts'
import { thinkingConfig } from './thinking.ts'
import { toolMembers } from './tools.ts'

const STOPS_MAX = 5
const CHOICES_MAX = 8

/**
 * From the specification's table of providers. All models support these four categories. A client
 * may send its own settings.
 */
export const SAFETY_SETTINGS = [
  'HARM_CATEGORY_HARASSMENT',
  'HARM_CATEGORY_HATE_SPEECH',
  'HARM_CATEGORY_SEXUALLY_EXPLICIT',
  'HARM_CATEGORY_DANGEROUS_CONTENT',
].map((category) => ({ category, threshold: 'BLOCK_NONE' }))

export function encodeChat(call: ProviderCall): EncodedCall {
  rejectUnsupported(call.request)
  const body = Buffer.from(JSON.stringify(generateRequest(call)))
  return generateCall(call, { body, headers: {} })
}

export function generateCall(call: ProviderCall, { body, headers }: NativeRequest): EncodedCall {
  const { stream } = call
  const method = stream ? 'streamGenerateContent' : 'generateContent'
  return {
    url: withSse(methodAddress(call, method), stream),
    headers: { ...headers, ...googleHeaders(call) },
    body,
  }
}

/** Without `alt=sse` a stream is one JSON array. */
function withSse(url: string, stream: boolean): string {
  if (!stream) return url
  return `${url}${url.includes('?') ? '&' : '?'}alt=sse`
}

function rejectUnsupported(request: JsonRecord): void {
  const { n, modalities } = request
  if (typeof n === 'number' && n > CHOICES_MAX) {
    throw new UnsupportedParameterError(`'n' must be at most ${CHOICES_MAX} with Gemini.`, 'n')
  }
  const areKnown = (given: readonly unknown[]) =>
    given.every((modality) => modality === 'text' || modality === 'image')
  if (Array.isArray(modalities) && !areKnown(modalities)) {
    throw new UnsupportedParameterError(
      "'modalities' must be text or image with Gemini.",
      'modalities',
    )
  }
  for (const name of ['audio', 'web_search_options']) {
    if (!isRecord(request[name])) continue
    throw new UnsupportedParameterError(`'${name}' is not possible with Gemini.`, name)
  }
}

function generateRequest(call: ProviderCall): JsonRecord {
  const { request, model, channel } = call
  const traits = traitsOf(model, channel.cardOf)
  const messages = Array.isArray(request['messages']) ? request['messages'] : []
  const conversation = withInstructions(readConversation(messages, traits), request)
  const { safety_settings: safety } = request
  const config = generationConfig(call, traits)
  noteAdaptations(call, config)
  return {
    ...conversationMembers(conversation, traits),
    ...toolMembers(request, traits),
    safetySettings: Array.isArray(safety) ? safety : SAFETY_SETTINGS,
    generationConfig: config,
  }
}

function noteAdaptations({ request, adaptations }: ProviderCall, config: JsonRecord): void {
  if (adaptations === undefined) return
  const carried = ['stop', 'logprobs', 'top_logprobs', 'response_format', 'tool_choice'] as const
  const others = ['parallel_tool_calls', 'safety_settings', ...Object.keys(NUMBERS)]
  noteSettings(adaptations, request, {
    ...pick(request, ...carried, ...others),
    max_tokens: config['maxOutputTokens'],
    seed: config['seed'],
    reasoning_effort: config['thinkingConfig'] && request['reasoning_effort'],
  })
}

/** Turns parameters without an equivalent into instructions. */
function withInstructions(
  { system, contents }: Conversation,
  { tools, parallel_tool_calls: parallel }: JsonRecord,
): Conversation {
  const hasTools = Array.isArray(tools) && tools.length > 0
  if (!hasTools || parallel !== false) return { system, contents }
  return { system: [...system, ...textParts('Call at most one tool at a time.')], contents }
}

/** Models without a system prompt get its text before the first user message. */
function conversationMembers(
  { system, contents }: Conversation,
  { takesSystem }: ModelTraits,
): JsonRecord {
  if (system.length === 0) return { contents }
  if (takesSystem) return { systemInstruction: { parts: system }, contents }
  const [first, ...others] = contents
  const parts = [...system, ...(first?.parts ?? [])]
  return { contents: [{ role: 'user', parts }, ...others] }
}

function generationConfig(call: ProviderCall, traits: ModelTraits): JsonRecord {
  const { request } = call
  const limit = outputLimitOf(request)
  const card = cardFor(call, 'google')
  const { outputSetting } = card.limits
  const thinking = thinkingConfig(request['reasoning_effort'], card)
  const { n, modalities } = request
  const isDrawing = Array.isArray(modalities) && modalities.includes('image')
  return {
    ...numbers(request),
    ...(typeof n === 'number' && n > 1 ? { candidateCount: n } : {}),
    ...(limit === undefined ? {} : { maxOutputTokens: Math.min(limit, outputSetting ?? limit) }),
    ...stopSequences(request['stop']),
    ...responseFormat(request['response_format'], traits),
    ...logprobs(request),
    ...(isDrawing ? { responseModalities: ['TEXT', 'IMAGE'] } : {}),
    ...(thinking === undefined ? {} : { thinkingConfig: thinking }),
  }
}

const NUMBERS = {
  temperature: 'temperature',
  top_p: 'topP',
  top_k: 'topK',
  presence_penalty: 'presencePenalty',
  frequency_penalty: 'frequencyPenalty',
} as const
const SEED_MAX = 2 ** 31 - 1

function numbers(request: JsonRecord): JsonRecord {
  const named = Object.entries(NUMBERS).flatMap(([name, geminiName]): [string, number][] => {
    const value = request[name]
    return typeof value === 'number' ? [[geminiName, value]] : []
  })
  const { seed } = request
  const isSeed = typeof seed === 'number' && Number.isInteger(seed) && Math.abs(seed) <= SEED_MAX
  return { ...Object.fromEntries(named), ...(isSeed ? { seed } : {}) }
}

function stopSequences(stop: unknown): JsonRecord {
  const given = (Array.isArray(stop) ? stop : [stop]).filter((text) => textOf(text) !== '')
  if (given.length > STOPS_MAX) {
    throw new UnsupportedParameterError(
      `'stop' must have at most ${STOPS_MAX} texts with Gemini.`,
      'stop',
    )
  }
  return given.length === 0 ? {} : { stopSequences: given }
}

function responseFormat(format: unknown, { takesJsonSchema }: ModelTraits): JsonRecord {
  const type = member(format, 'type')
  if (type !== 'json_object' && type !== 'json_schema') return {}
  const json = { responseMimeType: 'application/json' }
  const schema = member(member(format, 'json_schema'), 'schema')
  if (type === 'json_object' || !isRecord(schema)) return json
  return takesJsonSchema
    ? { ...json, responseJsonSchema: schema }
    : { ...json, responseSchema: openApiSchema(schema) }
}

function logprobs({ logprobs: isRequested, top_logprobs: topLogprobs }: JsonRecord): JsonRecord {
  if (isRequested !== true) return {}
  const isWanted = typeof topLogprobs === 'number' && topLogprobs > 0
  return { responseLogprobs: true, ...(isWanted ? { logprobs: topLogprobs } : {}) }
}
