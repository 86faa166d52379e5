import {
  isRecord,
  type JsonRecord,
  member,
  omit,
  listOf,
  textOf,
  clamp,
  omitAbsent,
  isPresent,
} from '../../bytes/json-value.ts'
import { cardFor } from '../../cards/card-of.ts'
import type { ModelCard } from '../../cards/model-card.ts'
import { fitMedia, withNamedMedia } from '../../fit/media.ts'
import { fitUserId, rejectSchema } from '../../fit/settings.ts'
import { parameterError } from '../../form/codec-errors.ts'
import { outputLimitOf } from '../../form/request.ts'
import { words } from '../../provider.ts'
import {
  reasoningRequested,
  functionsOf,
  rejectParameters,
  textsToEmbed,
  toolChoiceOf,
} from '../../wires/openai-chat/chat-request.ts'
import { plainRequest } from '../../wires/openai-chat/plain-request.ts'
import type { ProviderCall } from '../../wires/provider-codec.ts'

/** Members that Zhipu lacks or names differently. */
const DROPPED_MEMBERS = words(`
  n frequency_penalty presence_penalty logit_bias logprobs top_logprobs stream_options
  parallel_tool_calls max_completion_tokens reasoning_effort tool_choice user safety_identifier
  prompt_cache_key service_tier store metadata modalities prediction verbosity
`)

export function chatBody(call: ProviderCall): JsonRecord {
  const card = cardFor(call, 'zhipu')
  const request = plainRequest(call, card)
  rejectParameters(request, 'n', 'logprobs', 'audio', 'web_search_options')
  rejectSchema(request)
  return omitAbsent({
    ...omit(request, ...DROPPED_MEMBERS),
    messages: fitMedia(
      withNamedMedia(listOf(request['messages']), isTaken, call.adaptations),
      card,
    ).map(messageOf),
    stream: call.stream || undefined,
    max_tokens: clampedLimit(request, card),
    stop: stopOf(request['stop']),
    ...userIdOf(request, card),
    thinking: thinkingOf(call.request),
    top_p: clamp(request['top_p'], 0.01, 0.99),
    ...temperatureOf(request, card),
    ...toolsOf(request),
  })
}

function clampedLimit(request: JsonRecord, { limits }: ModelCard): number | undefined {
  const limit = outputLimitOf(request)
  return limit === undefined ? undefined : Math.min(limit, limits.outputSetting ?? limit)
}

function thinkingOf(request: JsonRecord): unknown {
  const { thinking } = request
  const thinks = reasoningRequested(request)
  if (thinks === null) return thinking
  return { ...(isRecord(thinking) && thinking), type: thinks ? 'enabled' : 'disabled' }
}

function userIdOf(request: JsonRecord, card: ModelCard): JsonRecord {
  const id = request['user_id'] ?? request['user']
  return { user_id: typeof id === 'string' ? fitUserId(id, card) : id }
}

/** Older models do not accept 0, which is greedy sampling. */
function temperatureOf({ temperature }: JsonRecord, { sampling }: ModelCard): JsonRecord {
  if (typeof temperature !== 'number' || sampling.temperature === null) return { temperature }
  const { min, max } = sampling.temperature
  const greedy = temperature <= 0 && min > 0 ? { do_sample: false } : {}
  return { temperature: clamp(temperature, min, max), ...greedy }
}

function stopOf(stop: unknown): unknown {
  if (!isPresent(stop)) return undefined
  const stops = Array.isArray(stop) ? stop : [stop]
  if (stops.length > 1) throw parameterError('This provider takes one stop sequence.', 'stop')
  return stops.length === 0 ? undefined : stops
}

/** Tool types that Zhipu has and OpenAI lacks. */
const ZHIPU_TOOLS = ['web_search', 'retrieval', 'mcp']

function toolsOf(request: JsonRecord): JsonRecord {
  const tools = listOf(request['tools'])
  functionsOf({
    ...request,
    tools: tools.filter((tool) => !ZHIPU_TOOLS.includes(textOf(member(tool, 'type')))),
  })
  const choice = toolChoiceOf(request)?.type ?? null
  if (choice === 'none' || tools.length === 0) return { tools: undefined }
  if (choice === null) return { tools }
  if (choice === 'auto') return { tools, tool_choice: choice }
  throw parameterError("This provider cannot be forced to call a tool: use 'auto'.", 'tool_choice')
}

function messageOf(message: unknown, index: number): unknown {
  if (!isRecord(message)) return message
  const { role, content } = message
  const param = `messages.${index}.content`
  return {
    ...message,
    role: role === 'developer' ? 'system' : role,
    content: Array.isArray(content)
      ? content.map((part, place) => partOf(part, `${param}.${place}`))
      : content,
  }
}

const UNSUPPORTED_PARTS = ['input_audio', 'file']

const isTaken = (part: unknown) => !UNSUPPORTED_PARTS.includes(textOf(member(part, 'type')))

function partOf(part: unknown, param: string): unknown {
  const type = textOf(member(part, 'type'))
  if (UNSUPPORTED_PARTS.includes(type)) {
    throw parameterError(`This provider takes no part of type '${type}'.`, param)
  }
  if (!isRecord(part) || type !== 'image_url') return part
  const image = part['image_url']
  const parts = isRecord(image) ? image : { url: image }
  return { ...part, image_url: { ...parts, url: bareData(parts['url']) } }
}

/** Inline images are bare base64 here. */
const bareData = (url: unknown) =>
  typeof url === 'string' ? url.replace(/^data:image\/[^;,]+;base64,/i, '') : url

/** The oldest model takes one text, the others take a list. */
export function embeddingsBody({ request, model }: ProviderCall): JsonRecord {
  const texts = textsToEmbed(request)
  const [only, ...more] = texts
  if (model === 'embedding-2' && more.length > 0) {
    throw parameterError('This model embeds one text at a time.', 'input')
  }
  const input = more.length === 0 ? only : texts
  return { ...omit(request, 'encoding_format', 'user'), input }
}
