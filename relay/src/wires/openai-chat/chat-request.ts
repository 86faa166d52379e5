import {
  isPresent,
  isRecord,
  member,
  type JsonRecord,
  listOf,
  textOf,
} from '../../bytes/json-value.ts'
import { withNamedMedia } from '../../fit/media.ts'
import { requestedReasoning } from '../../fit/requested-reasoning.ts'
import { parameterError } from '../../form/codec-errors.ts'
import { imageAddress } from '../../media/data-url.ts'
import type { ProviderCall } from '../provider-codec.ts'
import { resultContent } from './call-input.ts'
import { withoutFunctionRole } from './function-role.ts'

/*
 * Reads OpenAI requests for codecs whose providers support only part of that format. Members may
 * have any type: unreadable values are rejected here or left for the provider to reject.
 */

export type Part =
  | { readonly type: 'text'; readonly text: string; readonly cacheControl: unknown }
  | { readonly type: 'image'; readonly url: string }
  | { readonly type: 'video'; readonly url: string }
  | { readonly type: 'audio'; readonly data: string; readonly format: string }

export type ReadMessage = {
  readonly role: string
  readonly message: JsonRecord
  readonly parts: readonly Part[]
  /** Path in the request, such as `messages.3`. */
  readonly param: string
}

/**
 * The role `developer` becomes `system`. Parts of earlier turns that the provider does not take are
 * named. Throws `UnsupportedParameterError` for unknown parts of the question.
 */
export function messagesOf(
  { request, adaptations }: Pick<ProviderCall, 'request' | 'adaptations'>,
  isTaken: (part: Part) => boolean = () => false,
): ReadMessage[] {
  const given = withoutFunctionRole(listOf(request['messages'])).filter(isRecord)
  const isKnown = (part: unknown) => {
    const read = knownPart(part)
    return read !== null && isTaken(read)
  }
  const messages = withNamedMedia(given, isKnown, adaptations)
  return messages.map((message, index) => {
    const param = `messages.${index}`
    const role = message['role'] === 'developer' ? 'system' : textOf(message['role'])
    const content = role === 'tool' ? resultContent(message['content']) : message['content']
    return { role, message, param, parts: partsOf(content, `${param}.content`) }
  })
}

function partsOf(content: unknown, param: string): Part[] {
  if (typeof content === 'string') return [{ type: 'text', text: content, cacheControl: undefined }]
  return listOf(content).map((part, index) => partOf(part, `${param}.${index}`))
}

function partOf(part: unknown, param: string): Part {
  const known = knownPart(part)
  if (known !== null) return known
  const type = textOf(member(part, 'type'))
  throw parameterError(`This provider takes no part of type '${type}': send text or images.`, param)
}

function knownPart(part: unknown): Part | null {
  if (typeof part === 'string') return { type: 'text', text: part, cacheControl: undefined }
  const type = member(part, 'type')
  switch (type) {
    case 'text':
    case 'refusal': {
      const cacheControl = member(part, 'cache_control') ?? undefined
      return { type: 'text', text: textOf(member(part, type)), cacheControl }
    }
    case 'image_url':
      return { type: 'image', url: imageAddress(member(part, 'image_url')) }
    case 'video_url':
      return { type: 'video', url: imageAddress(member(part, 'video_url')) }
    case 'input_audio': {
      const audio = member(part, 'input_audio')
      const format = textOf(member(audio, 'format')) || 'wav'
      return { type: 'audio', data: textOf(member(audio, 'data')), format }
    }
    default:
      return null
  }
}

/** For providers that take text only. Throws `UnsupportedParameterError`. */
export function plainTextOf({ parts, param }: ReadMessage): string {
  const texts = parts.map((part) => {
    if (part.type === 'text') return part.text
    throw parameterError(
      `This provider takes text only: the message has a part of type '${part.type}'.`,
      `${param}.content`,
    )
  })
  return texts.join('\n')
}

export const unknownRole = ({ param }: ReadMessage) =>
  parameterError('This provider knows the roles system, user, assistant and tool.', param)

export type NamedFunction = {
  readonly name: string
  readonly description: unknown
  readonly parameters: unknown
}

/** Throws `UnsupportedParameterError` for tools that are not functions. */
export function functionsOf(request: JsonRecord): NamedFunction[] {
  const { functions, function_call: choice } = request
  if (isPresent(functions) || isPresent(choice)) {
    throw parameterError("Use 'tools' and 'tool_choice' instead of 'functions'.", 'functions')
  }
  return listOf(request['tools']).map((tool, index) => {
    const named = member(tool, 'function')
    if (member(tool, 'type') !== 'function' || !isRecord(named)) {
      throw parameterError(
        `This provider has no tools of type '${textOf(member(tool, 'type'))}': only 'function'.`,
        `tools.${index}`,
      )
    }
    const { name, description, parameters } = named
    return { name: textOf(name), description, parameters }
  })
}

export type ToolChoice =
  | { readonly type: 'auto' | 'none' | 'required' }
  | { readonly type: 'function'; readonly name: string }

export function toolChoiceOf(request: JsonRecord): ToolChoice | null {
  const choice = request['tool_choice']
  if (!isPresent(choice)) return null
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { type: choice }
  const name = member(member(choice, 'function'), 'name')
  if (typeof name === 'string') return { type: 'function', name }
  throw parameterError(
    "This provider can be told 'auto', 'none', 'required' or one function.",
    'tool_choice',
  )
}

/** For providers that cannot be forced to call a tool: whether the model may call any. */
export function mayCallTools(request: JsonRecord): boolean {
  const type = toolChoiceOf(request)?.type ?? 'auto'
  if (type === 'auto' || type === 'none') return type === 'auto'
  throw parameterError(
    "This provider cannot be forced to call a tool: use 'auto' or 'none'.",
    'tool_choice',
  )
}

/**
 * For providers that can force one named function only. Null if the model may choose. Throws
 * `UnsupportedParameterError` if any of several functions would do.
 */
export function forcedFunction(
  choice: ToolChoice | null,
  functions: readonly NamedFunction[],
): NamedFunction | null {
  if (choice?.type === 'function') return functions.find(({ name }) => name === choice.name) ?? null
  if (choice?.type !== 'required') return null
  const [only, ...others] = functions
  if (only !== undefined && others.length === 0) return only
  throw parameterError(
    "This provider can be forced to call one function only: name it in 'tool_choice'.",
    'tool_choice',
  )
}

export type PastCall = { readonly id: string; readonly name: string; readonly arguments: string }

/** The text of a custom tool becomes arguments. Calls without a name are left out. */
export function pastCallsOf({ message }: ReadMessage): PastCall[] {
  return listOf(message['tool_calls']).flatMap((call) => {
    const [named, custom] = [member(call, 'function'), member(call, 'custom')]
    const name = textOf(member(named ?? custom, 'name'))
    if (name === '') return []
    const input = isRecord(custom) ? { input: custom['input'] } : member(named, 'arguments')
    const text = isRecord(input) ? JSON.stringify(input) : textOf(input)
    return [{ id: textOf(member(call, 'id')), name, arguments: text }]
  })
}

/** A call as text, in the format of Spark's own calls. */
export const callText = ({ name, ...call }: PastCall): string =>
  JSON.stringify({ function_call: { name, arguments: call.arguments } })

/** Throws `UnsupportedParameterError` for token ids, which depend on the tokenizer. */
export function textsToEmbed(request: JsonRecord): readonly string[] {
  const { input } = request
  const texts = typeof input === 'string' ? [input] : listOf(input)
  if (texts.every((text) => typeof text === 'string')) return texts
  throw parameterError('This provider takes texts, not tokens.', 'input')
}

type RejectableParameter = 'n' | 'logprobs' | 'audio' | 'response_format' | 'web_search_options'

/** Rejects parameters that would change the answer and that the provider does not support. */
export function rejectParameters(
  request: JsonRecord,
  ...names: readonly RejectableParameter[]
): void {
  for (const name of names) {
    const [isSet, advice] = REJECTIONS[name]
    if (isSet(request)) throw parameterError(`This provider ${advice}.`, name)
  }
}

const REJECTIONS: Readonly<
  Record<RejectableParameter, readonly [(request: JsonRecord) => boolean, string]>
> = {
  n: [({ n }) => typeof n === 'number' && n > 1, 'returns one choice: n must be 1'],
  logprobs: [
    ({ logprobs, top_logprobs: top }) => logprobs === true || (typeof top === 'number' && top > 0),
    'does not return logprobs',
  ],
  audio: [
    ({ audio, modalities }) =>
      isRecord(audio) || listOf(modalities).some((modality) => modality !== 'text'),
    'answers in text only',
  ],
  response_format: [
    ({ response_format: format }) => isRecord(format) && format['type'] !== 'text',
    "answers in text only: response_format must be 'text'",
  ],
  web_search_options: [
    ({ web_search_options: options }) => isRecord(options),
    'does not support web search in this form',
  ],
}

/** Null if the request sets no reasoning effort. */
export function reasoningRequested(request: JsonRecord): boolean | null {
  const { effort } = requestedReasoning(request)
  return effort === undefined ? null : effort !== 'none'
}
