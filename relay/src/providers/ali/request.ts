import {
  isRecord,
  type JsonRecord,
  member,
  clamp,
  omit,
  omitAbsent,
  pick,
} from '../../bytes/json-value.ts'
import { cardFor } from '../../cards/card-of.ts'
import { requestedReasoning } from '../../fit/requested-reasoning.ts'
import { outputLimitOf } from '../../form/request.ts'
import { words } from '../../provider.ts'
import {
  forcedFunction,
  functionsOf,
  messagesOf,
  type Part,
  plainTextOf,
  type ReadMessage,
  rejectParameters,
  textsToEmbed,
  toolChoiceOf,
} from '../../wires/openai-chat/chat-request.ts'
import type { ProviderCall } from '../../wires/provider-codec.ts'

const TEXT_PATH = '/services/aigc/text-generation/generation'
const MULTIMODAL_PATH = '/services/aigc/multimodal-generation/generation'
const EMBEDDINGS_PATH = '/services/embeddings/text-embedding/text-embedding'

/** The suffix requests a web search; DashScope's model names lack it. */
const SEARCH_MODELS = /-internet$/

type Encoded = { readonly path: string; readonly body: JsonRecord }

export function chatRequest(call: ProviderCall): Encoded {
  const { request } = call
  rejectParameters(request, 'audio')
  const messages = messagesOf(call, () => true)
  const model = call.model.replace(SEARCH_MODELS, '')
  const isMultimodal =
    cardFor({ ...call, model }, 'alibaba').content.isMultimodal ||
    messages.some(({ parts }) => parts.some(({ type }) => type !== 'text'))
  const write = isMultimodal ? partsOf : textOrCachedParts
  const input = { messages: messages.map((message) => written(message, write(message))) }
  return {
    path: isMultimodal ? MULTIMODAL_PATH : TEXT_PATH,
    body: { model, input, parameters: parametersOf(call, model) },
  }
}

function written({ role, message }: ReadMessage, content: unknown): JsonRecord {
  const rest = ['name', 'tool_calls', 'tool_call_id', 'reasoning_content', 'partial']
  return { role, content, ...pick(message, ...rest) }
}

function textOrCachedParts(message: ReadMessage): unknown {
  const isCached = message.parts.some((part) => part.type === 'text' && part.cacheControl)
  if (!isCached) return plainTextOf(message)
  return partsOf(message).map((part) => ({ type: 'text', ...part }))
}

const partsOf = ({ parts }: ReadMessage): JsonRecord[] =>
  parts.length === 0 ? [{ text: '' }] : parts.map(partOf)

function partOf(part: Part): JsonRecord {
  switch (part.type) {
    case 'text':
      return omitAbsent({ text: part.text, cache_control: part.cacheControl })
    case 'image':
      return { image: part.url }
    case 'video':
      return { video: part.url }
    case 'audio':
      return { audio: audioUrl(part.data, part.format) }
  }
}

/** `data` may already be a URL. */
const audioUrl = (data: string, format: string) =>
  /^(?:https?|data):/i.test(data) ? data : `data:audio/${format};base64,${data}`

/** Parameters with the same name in both formats, or known only to DashScope. */
const PASSED_PARAMETERS = words(`
  n seed stop presence_penalty repetition_penalty top_k logprobs top_logprobs response_format
  parallel_tool_calls search_options thinking_budget vl_high_resolution_images
`)

function parametersOf(call: ProviderCall, model: string): JsonRecord {
  const { request, stream, model: requestedModel } = call
  const { temperature, top_p: topP, web_search_options: search } = request
  const searches = SEARCH_MODELS.test(requestedModel) || isRecord(search) || undefined
  return omitAbsent({
    result_format: 'message',
    incremental_output: stream || undefined,
    temperature: clamp(temperature, 0, 1.99),
    top_p: clamp(topP, 0.0001, 0.9999),
    max_tokens: outputLimitOf(request),
    enable_search: request['enable_search'] ?? searches,
    ...thinkingOf({ ...call, model }),
    ...pick(request, ...PASSED_PARAMETERS),
    ...toolsOf(request),
  })
}

/** Reasoning tokens per effort; higher efforts have no limit. */
const BUDGETS: ReadonlyMap<unknown, number> = new Map([
  ['minimal', 1024],
  ['low', 2048],
  ['medium', 8192],
])

function thinkingOf(call: ProviderCall): JsonRecord {
  const { enable_thinking: given } = call.request
  if (typeof given === 'boolean') return { enable_thinking: given }
  // By itself, the vendor's own budget does not switch reasoning on.
  const { effort, budget } = requestedReasoning(omit(call.request, 'thinking_budget'))
  if (effort === 'none') return { enable_thinking: false }
  if (effort !== undefined) {
    return { enable_thinking: true, thinking_budget: budget ?? BUDGETS.get(effort) }
  }
  const { needsStream } = cardFor(call, 'alibaba').reasoning
  return !call.stream && needsStream ? { enable_thinking: false } : {}
}

function toolsOf(request: JsonRecord): JsonRecord {
  const functions = functionsOf(request)
  if (functions.length === 0) return {}
  const choice = toolChoiceOf(request)
  const forced = forcedFunction(choice, functions)
  return {
    tools: request['tools'],
    tool_choice: forced ? { type: 'function', function: { name: forced.name } } : choice?.type,
  }
}

export function embeddingsRequest({ request, model }: ProviderCall): Encoded {
  const parameters = omitAbsent({
    dimension: member(request, 'dimensions'),
    ...pick(request, 'text_type'),
  })
  const body = { model, input: { texts: textsToEmbed(request) }, parameters }
  return { path: EMBEDDINGS_PATH, body }
}
