import {
  ifChanged,
  isPresent,
  isRecord,
  type JsonRecord,
  listOf,
  mapRecords,
  member,
  omit,
  parseJson,
  textOf,
} from '../../bytes/json-value.ts'
import type { WireRules } from '../../cards/alphabets.ts'
import type { ModelCard } from '../../cards/model-card.ts'
import { chatRenames, formerName, renamedCall, type Renames } from '../../fit/names.ts'
import { turnsReasoningOff } from '../../fit/reasoning-back.ts'
import { argumentsIn, NestedJson } from '../../form/nested-json.ts'
import { PARAGRAPH } from '../../form/request.ts'
import { imageAddress } from '../../media/data-url.ts'
import { resultContent } from './call-input.ts'

export type VendorRules = { readonly card: ModelCard; readonly rules: WireRules }

/** The model's chat template, which any server may use, takes a strict order and short ids. */
export const isTemplate = ({ content }: ModelCard): boolean => !content.takesRepeatedRoles

/** Whether the vendor is known to demand an order of roles. */
export const isOrdered = ({ content }: ModelCard): boolean =>
  !content.takesRepeatedRoles || content.demandsOrder

const takesDeveloper = (card: ModelCard): boolean =>
  card.content.takesDeveloper && (card.content.system === 'any' || !isOrdered(card))

export const callsIn = (message: unknown): readonly unknown[] =>
  member(message, 'role') === 'assistant' ? listOf(member(message, 'tool_calls')) : []

/** The name of a tool or of a called tool. */
export const nameIn = (item: unknown): string =>
  textOf(member(member(item, 'function') ?? member(item, 'custom'), 'name'))

export const isText = (part: unknown): boolean =>
  typeof part === 'string' || /^(?:text|refusal)$/.test(textOf(member(part, 'type')))

/** Changes single messages. Each change returns the same value if the vendor accepts it. */
export class AcceptedMessages {
  readonly #vendor: VendorRules
  readonly #isOpenai: boolean
  readonly #isStrict: boolean
  /** Long texts are left out, so what they say is not known. */
  readonly #isOutline: boolean
  readonly #foreign: readonly string[]
  /** Stands for required reasoning that is lost; null if none is required. */
  readonly #lost: string | null
  readonly #takesReasoning: boolean
  readonly #nested = new NestedJson()
  /** New names of tools whose names the vendor refuses. */
  readonly renames: Renames

  constructor(request: JsonRecord, vendor: VendorRules, isOutline: boolean) {
    const { reasoningBack: back } = vendor.card
    this.#vendor = vendor
    this.#isOpenai = vendor.card.vendor === 'openai'
    this.#isStrict = !vendor.card.content.takesUnknownMembers
    this.#isOutline = isOutline
    this.renames = chatRenames(request, vendor.rules.names)
    this.#foreign = [
      'thinking_blocks',
      'images',
      'reasoning',
      'cache_control',
      'provider_specific_fields',
      ...(back.takesDetails ? [] : ['reasoning_details']),
      ...(back.takesSignatures ? [] : ['extra_content']),
    ]
    const isRequired = back.policy === 'required_with_calls' && !turnsReasoningOff(request)
    this.#lost = isRequired ? back.placeholder : null
    this.#takesReasoning = isRequired || (this.#isStrict && back.policy !== 'ignored')
  }

  message(given: JsonRecord): JsonRecord {
    const told = this.#withContent(this.#known(given))
    const { role, tool_calls: calls } = told
    if (role !== 'assistant' || !Array.isArray(calls)) return told
    const changed = mapRecords(calls, (call) => this.#call(call))
    const accepted = changed === calls ? changed : changed.flat()
    if (accepted.length === 0) return omit(told, 'tool_calls')
    return this.#calling(accepted === calls ? told : { ...told, tool_calls: accepted })
  }

  #known(given: JsonRecord): JsonRecord {
    const message = this.#isOpenai || this.#isStrict ? withoutNulls(given) : given
    const { vendor, reasoningBack: back } = this.#vendor.card
    if (!this.#isStrict && this.#isOpenai) return without(message, this.#foreign)
    const said = withSaidRefusal(message)
    const told = this.#takesReasoning ? withReasoningAs(back.member, said) : said
    if (!this.#isStrict) return told
    const known = ['role', 'content', 'tool_calls', 'tool_call_id']
    if (vendor === 'mistral') known.push(message['role'] === 'tool' ? 'name' : 'prefix')
    if (this.#takesReasoning) known.push(back.member)
    return keep(told, known)
  }

  tool(one: JsonRecord): JsonRecord {
    const renamed = renamedCall(one, this.renames)
    const given = isRecord(renamed) ? renamed : one
    if (!this.#isStrict && !this.#isOpenai) return given
    const tool = without(given, MARKS)
    const { function: definition } = tool
    if (!isRecord(definition)) return tool
    const names = ['name', 'description', 'parameters', 'strict']
    const known = this.#isStrict ? keep(definition, names) : without(definition, MARKS)
    return known === definition ? tool : { ...tool, function: known }
  }

  #calling(message: JsonRecord): JsonRecord {
    const { content, reasoningBack: back } = this.#vendor.card
    const needsText = !content.takesNullContent && (message['content'] ?? null) === null
    const needsReasoning = this.#lost !== null && (message[back.member] ?? '') === ''
    if (!needsText && !needsReasoning) return message
    return {
      ...message,
      ...(needsText ? { content: '' } : {}),
      ...(needsReasoning ? { [back.member]: this.#lost } : {}),
    }
  }

  #withContent(message: JsonRecord): JsonRecord {
    const { card } = this.#vendor
    const { role, content } = message
    const told = role === 'tool' ? resultContent(content) : content
    if (told !== content) return { ...message, content: told }
    if (role === 'developer' && !takesDeveloper(card)) return { ...message, role: 'system' }
    if (isTemplate(card) || (role === 'tool' && !card.content.takesResultLists)) {
      return withJoinedTexts(message)
    }
    if (!(this.#isOpenai || this.#isStrict) || !Array.isArray(content)) return message
    const unmarked = mapRecords(content, (part) => withImageUrl(without(part, MARKS)))
    const saysOnly = role === 'assistant' && this.#isOpenai
    const parts = saysOnly ? ifChanged(unmarked, unmarked.filter(isText)) : unmarked
    if (parts.length === 0) return { ...message, content: role === 'assistant' ? null : '' }
    return parts === content ? message : { ...message, content: parts }
  }

  /** A call without a name is left out, and its result becomes a message of the user. */
  #call(given: JsonRecord): unknown {
    const called = nameIn(given)
    if (called === '') return []
    const call = this.#knownCall(given)
    const { custom, function: named } = call
    const name = this.renames.get(called) ?? formerName(called, this.#vendor.rules.names)
    if (isRecord(custom)) return name === called ? call : { ...call, custom: { ...custom, name } }
    if (!isRecord(named)) return call
    const input = this.#arguments(named['arguments'])
    const known = this.#isStrict ? keep(named, ['name', 'arguments']) : named
    const isSame = known === named && name === called && input === named['arguments']
    return isSame ? call : { ...call, function: { ...known, name, arguments: input } }
  }

  #knownCall(call: JsonRecord): JsonRecord {
    if (this.#isStrict) return keep(asFunction(call), ['id', 'type', 'function'])
    return this.#isOpenai ? without(call, MARKS) : asFunction(call)
  }

  /** Input that was cut off is no JSON. */
  #arguments(given: unknown): unknown {
    if (isRecord(given)) return JSON.stringify(given)
    if (this.#isOpenai || this.#isOutline) return given ?? '{}'
    const text = textOf(given)
    return isRecord(parseJson(text)) ? text : JSON.stringify(argumentsIn(text, this.#nested))
  }

  /** An answer of which the vendor accepts nothing. */
  isSilent(message: unknown): boolean {
    if (!isRecord(message) || message['role'] !== 'assistant') return false
    const { content } = message
    if (callsIn(message).length > 0 || (content === '' && this.#isOutline)) return false
    const isBlank = Array.isArray(content) ? content.length === 0 : (content ?? '') === ''
    return isBlank && !this.#others().some((name) => this.#isGiven(message[name]))
  }

  #others(): readonly string[] {
    if (this.#isOpenai) return ['refusal', 'audio', 'function_call']
    const { policy } = this.#vendor.card.reasoningBack
    const isWelcome = policy === 'welcome' || policy === 'required_with_calls'
    return isWelcome ? ['reasoning_content', 'reasoning'] : []
  }

  #isGiven = (value: unknown) => isPresent(value) && (value !== '' || this.#isOutline)

  /** Some vendors refuse empty messages of the user. */
  isBlankQuestion(message: unknown): boolean {
    if (this.#isOpenai || this.#isOutline || member(message, 'role') !== 'user') return false
    const content = member(message, 'content')
    const isBlank = (part: unknown) => part === '' || member(part, 'text') === ''
    return content === '' || (Array.isArray(content) && content.every(isBlank))
  }
}

/** The same part unless it is an image without the head of a data URL. */
function withImageUrl(part: JsonRecord): JsonRecord {
  const image = part['image_url']
  const given = isRecord(image) ? image['url'] : image
  const url = imageAddress(image)
  if (part['type'] !== 'image_url' || url === given || url === '') return part
  return { ...part, image_url: isRecord(image) ? { ...image, url } : { url } }
}

/** Several texts as one; other contents stay. */
function withJoinedTexts(message: JsonRecord): JsonRecord {
  const { content } = message
  if (!Array.isArray(content)) return message
  const texts = content.map((part: unknown) => member(part, 'text'))
  const isPlain = texts.every((text) => typeof text === 'string')
  return isPlain ? { ...message, content: texts.join(PARAGRAPH) } : message
}

const MARKS = ['cache_control', 'extra_content']

/** The same record if it has none of the members. */
const without = (record: JsonRecord, names: readonly string[]) =>
  names.some((name) => isPresent(record[name])) ? omit(record, ...names) : record

/** Some clients write absent members as null. */
const withoutNulls = (message: JsonRecord) =>
  message['name'] === null || message['tool_calls'] === null
    ? omit(message, ...['name', 'tool_calls'].filter((name) => message[name] === null))
    : message

/** Answers of other vendors have reasoning under another name (router-for-me/CLIProxyAPI#3587). */
function withReasoningAs(name: string, message: JsonRecord): JsonRecord {
  const other = name === 'reasoning' ? 'reasoning_content' : 'reasoning'
  const reasoning = textOf(message[other])
  if (reasoning === '' || (message[name] ?? '') !== '') return message
  return { ...omit(message, other), [name]: reasoning }
}

/** The same record if it has no other members. */
function keep(record: JsonRecord, names: readonly string[]): JsonRecord {
  const others = Object.keys(record).filter((name) => !names.includes(name))
  return others.length === 0 ? record : omit(record, ...others)
}

/** Only OpenAI has a member for refusals. */
function withSaidRefusal(message: JsonRecord): JsonRecord {
  const { content, refusal } = message
  if (message['role'] !== 'assistant' || (content ?? '') !== '') return message
  return textOf(refusal) === '' ? message : { ...omit(message, 'refusal'), content: refusal }
}

/** A call of a custom tool as that of a function. */
function asFunction(call: JsonRecord): JsonRecord {
  const { custom } = call
  if (!isRecord(custom)) return call
  const { name, input } = custom
  const named = { name, arguments: JSON.stringify({ input }) }
  return { ...omit(call, 'custom'), type: 'function', function: named }
}
