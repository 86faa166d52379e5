import {
  isRecord,
  type JsonRecord,
  member,
  omit,
  listOf,
  clamp,
  omitAbsent,
  isPresent,
} from '../../bytes/json-value.ts'
import { cardFor } from '../../cards/card-of.ts'
import { parameterError } from '../../form/codec-errors.ts'
import { words } from '../../provider.ts'
import { isSearchOff } from '../../usage/billed-features.ts'
import { rejectParameters, textsToEmbed } from '../../wires/openai-chat/chat-request.ts'
import { plainRequest } from '../../wires/openai-chat/plain-request.ts'
import type { ProviderCall } from '../../wires/provider-codec.ts'

/*
 * | OpenAI                                    | MiniMax                                     |
 * | ----------------------------------------- | ------------------------------------------- |
 * | temperature, top_p                        | more than 0 and at most 1: the nearest      |
 * | developer                                 | system                                      |
 * | tools of type function, web_search        | the same; tools of other types are rejected |
 * | a function without parameters             | an empty object of parameters               |
 * | web_search_options                        | a tool of type web_search                   |
 * | a tool web_search that is not enabled     | left out: here it would search              |
 * | messages, images, tool calls and results, | the same                                    |
 * | both limits, response_format, tool_choice |                                             |
 * | n, audio output                           | rejected                                    |
 * | penalties, seed, logit_bias, user,        | left out                                    |
 * | reasoning_effort and other hints          |                                             |
 *
 * Models that reason are asked to separate reasoning from the text (`reasoning_split`). Reasoning
 * comes as `reasoning_content` and `reasoning_details`, and both are sent back with earlier
 * messages.
 */

const SAMPLING_MIN = 0.01
const DROPPED_MEMBERS = words(`
  frequency_penalty presence_penalty seed logit_bias user n parallel_tool_calls stream_options
  reasoning_effort verbosity modalities prediction service_tier store metadata prompt_cache_key
  prompt_cache_retention safety_identifier web_search_options
`)
const WEB_SEARCH = { type: 'web_search' }

export function chatBody(call: ProviderCall): JsonRecord {
  const { model, stream } = call
  const card = cardFor(call, 'minimax')
  const request = plainRequest(call, card)
  rejectParameters(request, 'n', 'audio')
  const tools = toolsOf(request)
  return {
    ...omit(request, ...DROPPED_MEMBERS, 'tools'),
    ...omitAbsent({
      temperature: clamp(request['temperature'], SAMPLING_MIN, 1),
      top_p: clamp(request['top_p'], SAMPLING_MIN, 1),
    }),
    ...(tools.length === 0 ? {} : { tools }),
    messages: listOf(request['messages']).map(withKnownRole),
    model,
    stream,
    ...(card.reasoningBack.takesDetails ? { reasoning_split: true } : {}),
  }
}

function toolsOf(request: JsonRecord): unknown[] {
  const tools = listOf(request['tools'])
  for (const [index, tool] of tools.entries()) {
    const type = member(tool, 'type')
    if (type === 'function' || type === WEB_SEARCH.type) continue
    throw parameterError(
      "This provider takes tools of the types 'function' and 'web_search'.",
      `tools.${index}`,
    )
  }
  const enabled = tools.filter((tool) => !isSearchOff(tool)).map(withParameters)
  const searches = enabled.some((tool) => member(tool, 'type') === WEB_SEARCH.type)
  return isPresent(request['web_search_options']) && !searches ? [...enabled, WEB_SEARCH] : enabled
}

/** Functions without parameters are refused (QwenLM/qwen-code#11834). */
function withParameters(tool: unknown): unknown {
  const named = member(tool, 'function')
  if (!isRecord(tool) || !isRecord(named)) return tool
  const { parameters } = named
  if (isRecord(parameters) && Object.keys(parameters).length > 0) return tool
  return { ...tool, function: { ...named, parameters: { type: 'object', properties: {} } } }
}

function withKnownRole(message: unknown): unknown {
  const isDeveloper = isRecord(message) && message['role'] === 'developer'
  return isDeveloper ? { ...message, role: 'system' } : message
}

/**
 * Embeddings are for storage (`db`) unless the client marks the texts as queries. Throws
 * `UnsupportedParameterError`.
 */
export function embeddingBody({ request, model }: ProviderCall): JsonRecord {
  const type = request['input_type'] === 'query' ? 'query' : 'db'
  return { model, texts: textsToEmbed(request), type }
}
