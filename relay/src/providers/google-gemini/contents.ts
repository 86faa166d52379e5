import { UnsupportedParameterError } from '../../codec/provider-codec.ts'
import { isRecord, member, type JsonRecord, textOf } from '../../json-value.ts'
import { argumentsIn, NestedJson } from '../../nested-json.ts'
import type { ModelTraits } from './models.ts'
import { contentParts, imagePart, textParts } from './parts.ts'
import { NO_SIGNATURE, signatureOf, signed } from './signatures.ts'

export type Content = { readonly role: 'user' | 'model'; readonly parts: JsonRecord[] }

export type Conversation = {
  /** All system messages, wherever they are. */
  readonly system: JsonRecord[]
  /** Roles alternate, and the user is first. */
  readonly contents: Content[]
}

/** Stands in for a user message where the provider requires one. */
const CONTINUE_TEXT = 'Continue.'

type ReadContext = ModelTraits & {
  /** Names of called functions by the id of the call. */
  readonly names: ReadonlyMap<unknown, string>
  readonly nested: NestedJson
  /** For tool results, with a limit of its own. A result beyond the limit stays text. */
  readonly nestedResults: NestedJson
}

/** Each result follows its call, as `fitTools` leaves them. */
export function readConversation(messages: readonly unknown[], traits: ModelTraits): Conversation {
  const system: JsonRecord[] = []
  const contents: Content[] = []
  const names = namesOfCalls(messages)
  const nested = new NestedJson()
  const context = { ...traits, names, nested, nestedResults: new NestedJson() }
  for (const [index, message] of messages.entries()) {
    const path = `messages.${index}`
    switch (member(message, 'role')) {
      case 'system':
      case 'developer':
        system.push(...contentParts(member(message, 'content'), `${path}.content`))
        break
      case 'user':
        addContent(contents, 'user', contentParts(member(message, 'content'), `${path}.content`))
        break
      case 'assistant':
        addContent(contents, 'model', assistantParts(message, path, context))
        break
      case 'tool':
        addContent(contents, 'user', toolParts(message, path, context))
        break
      default:
        throw new UnsupportedParameterError(
          `'${path}.role' must be one of system, developer, user, assistant and tool.`,
          `${path}.role`,
        )
    }
  }
  if (contents[0]?.role !== 'user')
    contents.unshift({ role: 'user', parts: textParts(CONTINUE_TEXT) })
  return { system, contents: contents.map(withResponsesFirst) }
}

function namesOfCalls(messages: readonly unknown[]): ReadonlyMap<unknown, string> {
  const calls = messages.flatMap((message) => member(message, 'tool_calls') ?? [])
  return new Map(
    calls.map((call) => [member(call, 'id'), textOf(member(member(call, 'function'), 'name'))]),
  )
}

function withResponsesFirst({ role, parts }: Content): Content {
  const others = parts.filter((part) => !('functionResponse' in part))
  return { role, parts: [...parts.filter((part) => 'functionResponse' in part), ...others] }
}

function addContent(contents: Content[], role: Content['role'], parts: JsonRecord[]): void {
  const last = contents.at(-1)
  if (last?.role === role) last.parts.push(...parts)
  else if (parts.length > 0) contents.push({ role, parts })
}

function assistantParts(message: unknown, path: string, context: ReadContext): JsonRecord[] {
  if (isRecord(member(message, 'function_call'))) {
    throw new UnsupportedParameterError(
      `'${path}.function_call' is not possible with Gemini: use tool_calls.`,
      `${path}.function_call`,
    )
  }
  const content = contentParts(member(message, 'content'), `${path}.content`)
  const parts = content.length > 0 ? content : textParts(textOf(member(message, 'refusal')))
  return [
    ...withSignature(parts, signatureOf(message)),
    ...listOf(message, 'images').map((image, index) =>
      signed(imagePart(image, `${path}.images.${index}`), signatureOf(image)),
    ),
    ...functionCalls(message, path, context),
  ]
}

/** The signature of the content belongs to its last part. */
function withSignature(parts: readonly JsonRecord[], signature: string): JsonRecord[] {
  const last = parts.at(-1)
  return last === undefined ? [] : [...parts.slice(0, -1), signed(last, signature)]
}

/** Only the first of parallel calls is signed, and it must be. */
function functionCalls(
  message: unknown,
  path: string,
  { signsCalls, nested }: ReadContext,
): JsonRecord[] {
  const calls = listOf(message, 'tool_calls')
  return calls.map((call, position) => {
    const named = member(call, 'function')
    const name = textOf(member(named, 'name'))
    const place = `${path}.tool_calls.${position}`
    if (name === '')
      throw new UnsupportedParameterError(`'${place}' must be the call of a function.`, place)
    const args = argumentsIn(textOf(member(named, 'arguments')), nested, place)
    const id = signsCalls ? textOf(member(call, 'id')) : ''
    const functionCall = { ...(id && { id }), name, args: isRecord(args) ? args : {} }
    const lost = signsCalls && position === 0 ? NO_SIGNATURE : ''
    return signed({ functionCall }, signatureOf(call) || lost)
  })
}

function toolParts(
  message: unknown,
  path: string,
  { names, signsCalls, nestedResults }: ReadContext,
): JsonRecord[] {
  const id = textOf(member(message, 'tool_call_id'))
  const name = names.get(id) ?? ''
  const parts = contentParts(member(message, 'content'), `${path}.content`)
  const texts = parts.filter((part) => 'text' in part).map((part) => textOf(part['text']))
  const others = parts.filter((part) => !('text' in part))
  const given = signsCalls && id !== '' ? { id } : {}
  const functionResponse = { ...given, name, response: responseOf(texts.join(''), nestedResults) }
  return [{ functionResponse }, ...others]
}

/** A function response must be an object. */
function responseOf(text: string, results: NestedJson): JsonRecord {
  const json = results.parse(text)
  return isRecord(json) ? json : { result: text }
}

function listOf(message: unknown, name: string): unknown[] {
  const value = member(message, name)
  return Array.isArray(value) ? value : []
}
