import {
  clamped,
  functionsOf,
  givenOf,
  isGiven,
  isSearchOff,
  messagesOf,
  outputLimitOf,
  pastCallsOf,
  plainTextOf,
  type ReadMessage,
  refuse,
  toolChoiceOf,
} from '../../codec/chat-request.ts'
import { type ProviderCall, UnsupportedParameterError } from '../../codec/provider-codec.ts'
import { type JsonRecord, member, listOf } from '../../json-value.ts'
import { FunctionNames } from './function-names.ts'
import type { SparkVersion } from './version.ts'

const LEAST_TEMPERATURE = 0.01
const TOP_K_MOST = 6

export function bodyFor(
  { request }: ProviderCall,
  version: SparkVersion,
  appId: string,
): JsonRecord {
  refuse(request, 'n', 'logprobs', 'audio', 'response_format')
  refuseStop(request)
  const functions = functionsFor(request, version)
  return {
    header: { app_id: appId },
    parameter: {
      chat: {
        domain: version.domain,
        ...givenOf({
          temperature: clamped(request['temperature'], LEAST_TEMPERATURE, 1),
          top_k: clamped(request['top_k'], 1, TOP_K_MOST),
          max_tokens: outputLimitFor(request, version),
          tools: searchFor(request, version),
        }),
        auditing: 'default',
      },
    },
    payload: {
      message: { text: messagesFor(request, version) },
      ...(functions.length === 0 ? {} : { functions: { text: functions } }),
    },
  }
}

export function outputLimitFor(
  request: JsonRecord,
  { outputTokensMost }: SparkVersion,
): number | undefined {
  const asked = outputLimitOf(request)
  return asked === undefined ? undefined : Math.min(asked, outputTokensMost ?? asked)
}

function refuseStop({ stop }: JsonRecord) {
  const isNothing = !isGiven(stop) || stop === '' || (Array.isArray(stop) && stop.length === 0)
  if (!isNothing)
    throw new UnsupportedParameterError('This provider does not support stop sequences.', 'stop')
}

const isWebSearch = (tool: unknown) => member(tool, 'type') === 'web_search'

function searchFor(request: JsonRecord, { searches }: SparkVersion): JsonRecord[] | undefined {
  const asks =
    isGiven(request['web_search_options']) ||
    listOf(request['tools']).some((tool) => isWebSearch(tool) && !isSearchOff(tool))
  if (searches) return [{ type: 'web_search', web_search: { enable: asks } }]
  if (!asks) return undefined
  throw new UnsupportedParameterError('This model cannot search the web.', 'web_search_options')
}

export const withoutSearch = (request: JsonRecord): JsonRecord => {
  const tools = listOf(request['tools'])
  return tools.some(isWebSearch)
    ? { ...request, tools: tools.filter((tool) => !isWebSearch(tool)) }
    : request
}

function functionsFor(request: JsonRecord, { isTold }: SparkVersion): JsonRecord[] {
  const choice = toolChoiceOf(request)
  if (choice?.type === 'required' || choice?.type === 'function') {
    throw new UnsupportedParameterError(
      "This provider cannot be forced to call a tool: use 'auto' or 'none'.",
      'tool_choice',
    )
  }
  const functions = choice?.type === 'none' ? [] : functionsOf(withoutSearch(request))
  if (functions.length > 0 && !isTold) {
    throw new UnsupportedParameterError('This model cannot call functions.', 'tools')
  }
  const names = new FunctionNames(functions)
  return functions.map(({ name, ...rest }) => givenOf({ name: names.told(name), ...rest }))
}

type Message = { readonly role: string; readonly content: string }

/** Reply to the instructions, for models without system messages. */
const AGREED: Message = { role: 'assistant', content: 'OK.' }

function messagesFor(request: JsonRecord, { isTold }: SparkVersion): Message[] {
  const messages = messagesOf(request)
  const system = messages.filter(({ role }) => role === 'system').map(plainTextOf)
  const others = translateTurns(messages.filter(({ role }) => role !== 'system'))
  if (system.length === 0) return others
  const content = system.join('\n')
  const first = isTold ? [{ role: 'system', content }] : [{ role: 'user', content }, AGREED]
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
        const made = pastCallsOf(message)
        for (const { id, name } of made) calls.set(id, { name, isOnly: made.length === 1 })
        return {
          role: 'assistant',
          content: [text, ...made.map(callText)].filter(Boolean).join('\n'),
        }
      }
      case 'tool': {
        const call = calls.get(message.message['tool_call_id'])
        const isClear = call === undefined || call.isOnly
        return { role: 'tool', content: isClear ? text : `${call.name}: ${text}` }
      }
      default:
        throw new UnsupportedParameterError(
          'This provider knows the roles system, user, assistant and tool.',
          message.param,
        )
    }
  })
}

/** In the format of Spark's own calls, because messages carry only text. */
function callText({ name, ...call }: ReturnType<typeof pastCallsOf>[number]): string {
  return JSON.stringify({ function_call: { name, arguments: call.arguments } })
}
