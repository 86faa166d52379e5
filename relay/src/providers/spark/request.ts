import {
  type JsonRecord,
  member,
  listOf,
  clamp,
  omitAbsent,
  isPresent,
} from '../../bytes/json-value.ts'
import { parameterError } from '../../form/codec-errors.ts'
import { outputLimitOf } from '../../form/request.ts'
import { isSearchOff } from '../../usage/billed-features.ts'
import {
  callText,
  functionsOf,
  mayCallTools,
  messagesOf,
  pastCallsOf,
  plainTextOf,
  type ReadMessage,
  rejectParameters,
  unknownRole,
} from '../../wires/openai-chat/chat-request.ts'
import type { ProviderCall } from '../../wires/provider-codec.ts'
import type { SparkVersion } from './version.ts'

const TEMPERATURE_MIN = 0.01
const TOP_K_MAX = 6

export function bodyFor(call: ProviderCall, version: SparkVersion, appId: string): JsonRecord {
  const { request } = call
  rejectParameters(request, 'n', 'logprobs', 'audio', 'response_format')
  rejectStop(request)
  const functions = functionsFor(request, version)
  return {
    header: { app_id: appId },
    parameter: {
      chat: {
        domain: version.domain,
        ...omitAbsent({
          temperature: clamp(request['temperature'], TEMPERATURE_MIN, 1),
          top_k: clamp(request['top_k'], 1, TOP_K_MAX),
          max_tokens: outputLimitFor(request, version),
          tools: searchFor(request, version),
        }),
        auditing: 'default',
      },
    },
    payload: {
      message: { text: messagesFor(call, version) },
      ...(functions.length === 0 ? {} : { functions: { text: functions } }),
    },
  }
}

export function outputLimitFor(
  request: JsonRecord,
  { maxTokens }: SparkVersion,
): number | undefined {
  const requested = outputLimitOf(request)
  return requested === undefined ? undefined : Math.min(requested, maxTokens ?? requested)
}

function rejectStop({ stop }: JsonRecord) {
  const isNothing = !isPresent(stop) || stop === '' || (Array.isArray(stop) && stop.length === 0)
  if (!isNothing) throw parameterError('This provider does not support stop sequences.', 'stop')
}

const isWebSearch = (tool: unknown) => member(tool, 'type') === 'web_search'

function searchFor(request: JsonRecord, { searches }: SparkVersion): JsonRecord[] | undefined {
  const wantsSearch =
    isPresent(request['web_search_options']) ||
    listOf(request['tools']).some((tool) => isWebSearch(tool) && !isSearchOff(tool))
  if (searches) return [{ type: 'web_search', web_search: { enable: wantsSearch } }]
  if (!wantsSearch) return undefined
  throw parameterError('This model cannot search the web.', 'web_search_options')
}

export const withoutSearch = (request: JsonRecord): JsonRecord => {
  const tools = listOf(request['tools'])
  return tools.some(isWebSearch)
    ? { ...request, tools: tools.filter((tool) => !isWebSearch(tool)) }
    : request
}

function functionsFor(request: JsonRecord, { supportsTools }: SparkVersion): JsonRecord[] {
  const functions = mayCallTools(request) ? functionsOf(withoutSearch(request)) : []
  if (functions.length > 0 && !supportsTools) {
    throw parameterError('This model cannot call functions.', 'tools')
  }
  const names = new FunctionNames(functions)
  return functions.map(({ name, ...rest }) => omitAbsent({ name: names.encode(name), ...rest }))
}

type Message = { readonly role: string; readonly content: string }

/** Reply to the instructions, for models without system messages. */
const ACKNOWLEDGEMENT: Message = { role: 'assistant', content: 'OK.' }

function messagesFor(call: ProviderCall, { supportsTools }: SparkVersion): Message[] {
  const messages = messagesOf(call)
  const system = messages.filter(({ role }) => role === 'system').map(plainTextOf)
  const others = translateTurns(messages.filter(({ role }) => role !== 'system'))
  if (system.length === 0) return others
  const content = system.join('\n')
  const first = supportsTools
    ? [{ role: 'system', content }]
    : [{ role: 'user', content }, ACKNOWLEDGEMENT]
  return [...first, ...others]
}

function translateTurns(messages: readonly ReadMessage[]): Message[] {
  const calls = new Map<unknown, { name: string; isOnly: boolean }>()
  return messages.map((message) => {
    const text = plainTextOf(message)
    switch (message.role) {
      case 'user':
        return { role: 'user', content: text }
      case 'assistant': {
        const toolCalls = pastCallsOf(message)
        for (const { id, name } of toolCalls)
          calls.set(id, { name, isOnly: toolCalls.length === 1 })
        return {
          role: 'assistant',
          content: [text, ...toolCalls.map(callText)].filter(Boolean).join('\n'),
        }
      }
      case 'tool': {
        const call = calls.get(message.message['tool_call_id'])
        const isUnambiguous = call === undefined || call.isOnly
        return { role: 'tool', content: isUnambiguous ? text : `${call.name}: ${text}` }
      }
      default:
        throw unknownRole(message)
    }
  })
}

const LENGTH_MAX = 32
const OTHER_SIGNS = /[^A-Za-z0-9_]/g

/**
 * Function names as Spark takes them: letters, digits and underscores, at most 32 characters. Other
 * names are changed and numbered, so that no two are alike, and are changed back when called.
 */
export class FunctionNames {
  readonly #encoded = new Map<string, string>()
  readonly #decoded = new Map<string, string>()

  constructor(functions: readonly { readonly name: string }[]) {
    for (const [index, { name }] of functions.entries()) {
      const end = `_${index}`
      const plain = name.replaceAll(OTHER_SIGNS, '_')
      const isValid = plain === name && name.length <= LENGTH_MAX
      const encoded = isValid ? name : plain.slice(0, LENGTH_MAX - end.length) + end
      this.#encoded.set(name, encoded)
      this.#decoded.set(encoded, name)
    }
  }

  encode(name: string): string {
    return this.#encoded.get(name) ?? name
  }

  decode(encoded: string): string {
    return this.#decoded.get(encoded) ?? encoded
  }
}
