import { member, textOf, omit, type JsonRecord, omitAbsent, pick } from '../../bytes/json-value.ts'
import { requestedReasoning } from '../../fit/requested-reasoning.ts'
import { parameterError } from '../../form/codec-errors.ts'
import { argumentsIn, NestedJson } from '../../form/nested-json.ts'
import { outputLimitOf } from '../../form/request.ts'
import { readDataUrl } from '../../media/data-url.ts'
import {
  functionsOf,
  mayCallTools,
  messagesOf,
  type Part,
  type PastCall,
  pastCallsOf,
  type ReadMessage,
  rejectParameters,
  textsToEmbed,
  unknownRole,
} from '../../wires/openai-chat/chat-request.ts'
import type { ProviderCall } from '../../wires/provider-codec.ts'

export function chatBody(call: ProviderCall): JsonRecord {
  const { request, model, stream } = call
  rejectParameters(request, 'n', 'audio', 'web_search_options')
  const options = optionsOf(request)
  return {
    model,
    messages: translateMessages(messagesOf(call, isData)),
    stream,
    ...omitAbsent({
      tools: toolsOf(request),
      format: formatOf(request['response_format']),
      think: thinkOf(request),
      options: Object.keys(options).length === 0 ? undefined : options,
    }),
    ...pick(request, 'logprobs', 'top_logprobs'),
  }
}

function optionsOf(request: JsonRecord): JsonRecord {
  const { stop } = request
  return omitAbsent({
    ...pick(request, 'temperature', 'top_p', 'seed', 'presence_penalty', 'frequency_penalty'),
    ...pick(request, 'num_ctx', 'top_k', 'min_p'),
    num_predict: outputLimitOf(request),
    stop: typeof stop === 'string' ? [stop] : stop,
  })
}

function toolsOf(request: JsonRecord): JsonRecord[] | undefined {
  const functions = functionsOf(request)
  if (!mayCallTools(request) || functions.length === 0) return undefined
  return functions.map((named) => ({ type: 'function', function: omitAbsent(named) }))
}

function formatOf(format: unknown): unknown {
  const type = member(format, 'type')
  if (type === 'json_schema') return member(member(format, 'json_schema'), 'schema') ?? 'json'
  return type === 'json_object' ? 'json' : undefined
}

const LEVELS: ReadonlyMap<unknown, string> = new Map([
  ['minimal', 'low'],
  ['low', 'low'],
  ['medium', 'medium'],
  ['high', 'high'],
  ['xhigh', 'high'],
  ['max', 'max'],
])

function thinkOf(request: JsonRecord): string | boolean | undefined {
  const { effort } = requestedReasoning(request)
  return effort === undefined ? undefined : effort !== 'none' && (LEVELS.get(effort) ?? true)
}

function translateMessages(messages: readonly ReadMessage[]): JsonRecord[] {
  const namesOfCalls = new Map<string, string>()
  const nested = new NestedJson()
  return messages.map((message) => {
    const translated = { role: message.role, ...contentOf(message) }
    switch (message.role) {
      case 'system':
      case 'user':
        return translated
      case 'assistant': {
        const calls = pastCallsOf(message)
        for (const { id, name } of calls) namesOfCalls.set(id, name)
        const { reasoning_content: thinking } = message.message
        return {
          ...translated,
          ...(typeof thinking === 'string' && thinking !== '' ? { thinking } : {}),
          ...(calls.length === 0
            ? {}
            : { tool_calls: calls.map((call, at) => toolCallOf(call, at, nested)) }),
        }
      }
      case 'tool': {
        const id = message.message['tool_call_id']
        const name = namesOfCalls.get(textOf(id)) ?? message.message['name']
        return { ...translated, ...omitAbsent({ tool_name: name, tool_call_id: id }) }
      }
      default:
        throw unknownRole(message)
    }
  })
}

function contentOf({ parts, param }: ReadMessage): JsonRecord {
  const texts: string[] = []
  const images: string[] = []
  for (const [index, part] of parts.entries()) {
    const place = `${param}.content.${index}`
    if (part.type === 'text') texts.push(part.text)
    else if (part.type === 'image') images.push(imageOf(part.url, place))
    else throw parameterError(`This provider takes text and images, not ${part.type}.`, place)
  }
  return { content: texts.join('\n'), ...(images.length === 0 ? {} : { images }) }
}

const isData = (part: Part) => part.type === 'image' && readDataUrl(part.url) !== null

function imageOf(url: string, place: string): string {
  const image = readDataUrl(url)
  if (image !== null) return image.data
  throw parameterError(
    'This provider takes images as data: send a data URL in base64 (data:image/png;base64,…).',
    place,
  )
}

const toolCallOf = ({ id, name, ...call }: PastCall, index: number, nested: NestedJson) => ({
  ...(id === '' ? {} : { id }),
  function: { index, name, arguments: argumentsIn(call.arguments, nested) },
})

/** Ollama's copy of OpenAI's endpoint takes one text. Throws `UnsupportedParameterError`. */
export function completionBody({ request, model, stream }: ProviderCall): JsonRecord {
  const { prompt, echo, best_of: bestOf } = request
  const isMany = Array.isArray(prompt) && prompt.length !== 1
  const text: unknown = Array.isArray(prompt) ? prompt[0] : prompt
  if (isMany || typeof text !== 'string') {
    throw parameterError('This provider takes one text as its prompt.', 'prompt')
  }
  rejectParameters(request, 'n')
  if (typeof bestOf === 'number' && bestOf > 1) {
    throw parameterError("This provider makes one answer: 'best_of' must be 1.", 'best_of')
  }
  if (echo === true) throw parameterError('This provider does not repeat the prompt.', 'echo')
  if (typeof request['logprobs'] === 'number') {
    throw parameterError('This provider does not return logprobs here.', 'logprobs')
  }
  const known = omit(request, 'n', 'best_of', 'echo', 'logprobs', 'logit_bias', 'user')
  return {
    ...known,
    model,
    prompt: text,
    stream,
    ...(stream ? { stream_options: { include_usage: true } } : {}),
  }
}

export function embeddingBody({ request, model }: ProviderCall): JsonRecord {
  return { model, input: textsToEmbed(request), ...pick(request, 'dimensions') }
}
