import { withQuery } from '../../addresses/upstream-request.ts'
import { isRecord, member, type JsonRecord, pick } from '../../bytes/json-value.ts'
import { cardFor } from '../../cards/card-of.ts'
import type { ModelCard } from '../../cards/model-card.ts'
import { type Adaptations, noteSettings } from '../../fit/adaptations.ts'
import { requestedReasoning } from '../../fit/requested-reasoning.ts'
import { parameterError } from '../../form/codec-errors.ts'
import { type ChatForm, type Settings, outputLimitOf } from '../../form/request.ts'
import { wordSet } from '../../provider.ts'
import type { NativeRequest } from '../native-codec.ts'
import { formOf } from '../openai-chat/read-request.ts'
import type { EncodedCall, ProviderCall } from '../provider-codec.ts'
import { googleHeaders, methodAddress } from './address.ts'
import { conversationOf, type Conversation } from './write-contents.ts'
import { textParts } from './write-parts.ts'
import { openApiSchema } from './write-schema.ts'
import { thinkingConfig } from './write-thinking.ts'
import { toolMembers } from './write-tools.ts'

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
  const form = formOf(call)
  rejectUnsupported(form.settings)
  const body = Buffer.from(JSON.stringify(generateRequest(form, call)))
  return generateCall(call, { body, headers: {} })
}

export function generateCall(call: ProviderCall, { body, headers }: NativeRequest): EncodedCall {
  const { stream } = call
  const url = methodAddress(call, stream ? 'streamGenerateContent' : 'generateContent')
  return {
    // Without `alt=sse` a stream is one JSON array.
    url: stream ? withQuery(url, 'alt=sse') : url,
    headers: { ...headers, ...googleHeaders(call) },
    body,
  }
}

function rejectUnsupported({ n = 1, modalities = [], ...settings }: Settings): void {
  if (n > CHOICES_MAX) {
    throw parameterError(`'n' must be at most ${CHOICES_MAX} with Gemini.`, 'n')
  }
  if (modalities.some((modality) => modality !== 'text' && modality !== 'image')) {
    throw parameterError("'modalities' must be text or image with Gemini.", 'modalities')
  }
  for (const name of ['audio', 'web_search_options'] as const) {
    if (settings[name] === undefined) continue
    throw parameterError(`'${name}' is not possible with Gemini.`, name)
  }
}

/** Gemini 2 answers either in JSON or with calls of functions, and refuses to do both. */
function rejectJsonWithTools({ settings, tools }: ChatForm, card: ModelCard): void {
  const hasFunctions = tools.some(({ type }) => type === 'function')
  if (card.tools.signsCalls || !hasFunctions || !isJson(settings)) return
  throw parameterError(
    "'response_format' must be text for requests with tools with Gemini 2.",
    'response_format',
  )
}

const isJson = ({ response_format: format }: Settings) => {
  const type = member(format, 'type')
  return type === 'json_object' || type === 'json_schema'
}

function generateRequest(form: ChatForm, call: ProviderCall): JsonRecord {
  const { settings } = form
  const card = cardFor(call, 'google')
  rejectJsonWithTools(form, card)
  const conversation = withInstructions(conversationOf(form.messages, card, call.adaptations), form)
  const config = generationConfig(settings, card)
  noteAdaptations(settings, config, call.adaptations)
  return {
    ...conversationMembers(conversation, card),
    ...toolMembers(form, card),
    safetySettings: settings.safety_settings ?? SAFETY_SETTINGS,
    generationConfig: config,
  }
}

const CARRIED = wordSet(`
  stop logprobs top_logprobs response_format tool_choice parallel_tool_calls safety_settings
  temperature top_p top_k presence_penalty frequency_penalty
`)

function noteAdaptations(
  settings: Settings,
  config: JsonRecord,
  adaptations: Adaptations | undefined,
): void {
  noteSettings(adaptations, settings, {
    ...pick(settings, ...CARRIED),
    max_tokens: config['maxOutputTokens'],
    seed: config['seed'],
    reasoning_effort: config['thinkingConfig'] && settings.reasoning_effort,
  })
}

/** Turns parameters without an equivalent into instructions. */
function withInstructions(
  { system, contents }: Conversation,
  { tools, settings }: ChatForm,
): Conversation {
  if (tools.length === 0 || settings.parallel_tool_calls !== false) return { system, contents }
  return { system: [...system, ...textParts('Call at most one tool at a time.')], contents }
}

/** Models without a system prompt get its text before the first user message. */
function conversationMembers(
  { system, contents }: Conversation,
  { content }: ModelCard,
): JsonRecord {
  if (system.length === 0) return { contents }
  if (content.system !== 'none') return { systemInstruction: { parts: system }, contents }
  const [first, ...others] = contents
  const parts = [...system, ...(first?.parts ?? [])]
  return { contents: [{ role: 'user', parts }, ...others] }
}

function generationConfig(settings: Settings, card: ModelCard): JsonRecord {
  const { n = 1, modalities = [] } = settings
  const limit = outputLimitOf(settings)
  const { outputSetting } = card.limits
  const thinking = thinkingConfig(requestedReasoning(settings), card)
  return {
    ...numbers(settings),
    ...(n > 1 ? { candidateCount: n } : {}),
    ...(limit === undefined ? {} : { maxOutputTokens: Math.min(limit, outputSetting ?? limit) }),
    ...stopSequences(settings),
    ...responseFormat(settings, card),
    ...logprobs(settings),
    ...(modalities.includes('image') ? { responseModalities: ['TEXT', 'IMAGE'] } : {}),
    ...(thinking === undefined ? {} : { thinkingConfig: thinking }),
  }
}

const SEED_MAX = 2 ** 31 - 1

/** Members that are undefined are not written. */
function numbers(settings: Settings): JsonRecord {
  const { seed, temperature, top_p: topP, top_k: topK } = settings
  const { presence_penalty: presencePenalty, frequency_penalty: frequencyPenalty } = settings
  const isSeed = Number.isInteger(seed) && Math.abs(Number(seed)) <= SEED_MAX
  return { temperature, topP, topK, presencePenalty, frequencyPenalty, ...(isSeed && { seed }) }
}

function stopSequences({ stop = [] }: Settings): JsonRecord {
  const given = stop.filter((text) => text !== '')
  if (given.length > STOPS_MAX) {
    throw parameterError(`'stop' must have at most ${STOPS_MAX} texts with Gemini.`, 'stop')
  }
  return given.length === 0 ? {} : { stopSequences: given }
}

function responseFormat(settings: Settings, { tools }: ModelCard): JsonRecord {
  if (!isJson(settings)) return {}
  const { response_format: format } = settings
  const json = { responseMimeType: 'application/json' }
  const schema = member(member(format, 'json_schema'), 'schema')
  if (member(format, 'type') === 'json_object' || !isRecord(schema)) return json
  return tools.enforcesSchemas
    ? { ...json, responseJsonSchema: schema }
    : { ...json, responseSchema: openApiSchema(schema) }
}

function logprobs({ logprobs: isRequested, top_logprobs: top = 0 }: Settings): JsonRecord {
  if (isRequested !== true) return {}
  return { responseLogprobs: true, ...(top > 0 ? { logprobs: top } : {}) }
}
