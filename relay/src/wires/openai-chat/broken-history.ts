import {
  isPresent,
  isRecord,
  type JsonRecord,
  listOf,
  member,
  parseJson,
  textOf,
} from '../../bytes/json-value.ts'
import { mapInSteps, type Steps } from '../../bytes/steps.ts'
import type { WireRules } from '../../cards/alphabets.ts'
import type { ModelCard } from '../../cards/model-card.ts'
import type { Adaptation } from '../../fit/adaptations.ts'
import { fitInSteps } from '../../fit/fit.ts'
import { UnsupportedParameterError } from '../../form/codec-errors.ts'
import { HISTORY, lastAnswerIn } from '../../form/history-mark.ts'
import { argumentsIn, NestedJson } from '../../form/nested-json.ts'
import type { AssistantBlock, Block, Message } from '../../form/request.ts'
import { trueDataUrl } from '../../media/data-url.ts'
import { wordSet } from '../../provider.ts'
import { readChatFormInSteps } from './read-request.ts'
import { writeChatFor } from './write-request.ts'

/*
 * A session that went from model to model, or was interrupted, has a history that strict vendors of
 * chat completions refuse. Such a history is read and fitted like that of a client of another API.
 * Any other keeps its bytes.
 */

export type VendorRules = {
  readonly card: ModelCard
  readonly rules: WireRules
  readonly model: string
}

export type MendedHistory = {
  /** Members with messages that the vendor accepts. */
  readonly members: JsonRecord
  readonly notes: readonly Adaptation[]
}

export function* mendedHistory(
  json: JsonRecord,
  { card, rules, model }: VendorRules,
): Steps<MendedHistory> {
  try {
    const { messages: given, tools, settings } = yield* readChatFormInSteps(json)
    const shown = takesShowingResults(card) ? given : withTextResults(given)
    const messages =
      card.vendor === 'openai' ? shown : yield* withFunctionCalls(withoutBlanks(shown))
    const { reasoning_effort, thinking, enable_thinking } = settings
    const asked = { model, reasoning_effort, thinking, enable_thinking }
    const { form, notes } = yield* fitInSteps({ messages, tools, settings: asked }, card, rules)
    yield
    const written = writeChatFor(form, card)
    const added = listOf(written['tools']).slice(tools.length)
    const members = {
      messages: written['messages'],
      ...(added.length === 0 ? {} : { tools: [...listOf(json['tools']), ...added] }),
      ...(isPresent(written['tool_choice']) ? { tool_choice: written['tool_choice'] } : {}),
    }
    return { members, notes }
  } catch (error) {
    // What cannot be read is left for the vendor to refuse.
    if (error instanceof UnsupportedParameterError) return { members: {}, notes: [] }
    throw error
  }
}

const takesShowingResults = ({ vendor, content }: ModelCard) =>
  vendor !== 'openai' && content.takesResultLists

/** Some vendors refuse empty messages of the user. */
const withoutBlanks = (messages: readonly Message[]): readonly Message[] =>
  messages.filter(
    ({ role, blocks }, at) =>
      role !== 'user' || at === messages.length - 1 || !blocks.every(isBlankText),
  )

const isBlankText = (block: AssistantBlock) => block.type === 'text' && block.text === ''

/** Calls of custom tools, and calls whose input was cut off, as calls of functions. */
function withFunctionCalls(messages: readonly Message[]): Steps<Message[]> {
  const nested = new NestedJson()
  const asFunction = (block: AssistantBlock): AssistantBlock => {
    if (block.type !== 'tool-call') return block
    const { input, isCustom = false } = block
    const args = isCustom ? { input } : argumentsIn(input, nested)
    return { ...block, isCustom: undefined, input: JSON.stringify(args) }
  }
  return mapInSteps(messages, (message) =>
    message.role === 'assistant' && message.blocks.some(({ type }) => type === 'tool-call')
      ? { ...message, blocks: message.blocks.map(asFunction) }
      : message,
  )
}

/** What results show besides texts follows in a message of the user. */
function withTextResults(messages: readonly Message[]): Message[] {
  const result: Message[] = []
  let media: Block[] = []
  const flushMedia = () => {
    if (media.length > 0) result.push({ role: 'user', blocks: media, [HISTORY]: true })
    media = []
  }
  for (const message of messages) {
    if (message.role !== 'tool') flushMedia()
    const isMedia = ({ type }: Block) => message.role === 'tool' && type !== 'text'
    if (message.role !== 'tool' || !message.blocks.some(isMedia)) result.push(message)
    else {
      media.push(...message.blocks.filter(isMedia))
      result.push({ ...message, blocks: message.blocks.filter((block) => !isMedia(block)) })
    }
  }
  flushMedia()
  return result
}

/** Whether a strict vendor refuses the history. `isOutline`: long texts are left out of it. */
export function isBroken(json: JsonRecord, vendor: VendorRules, isOutline: boolean): boolean {
  const messages = listOf(json['messages'])
  const lastAnswer = lastAnswerIn(messages, (message) => member(message, 'role') === 'assistant')
  const declared = new Set(listOf(json['tools']).map((tool) => nameIn(tool)))
  const isRefused = refusalOf({ ...vendor, declared, isOutline })
  const waiting = new Set<unknown>()
  for (const [at, message] of messages.entries()) {
    const { role, tool_call_id: id, tool_calls: calls } = isRecord(message) ? message : {}
    const isResult = role === 'tool'
    if (isResult ? !waiting.delete(id) : waiting.size > 0) return true
    if (isRefused(message, { isPast: at < lastAnswer || isResult, before: messages[at - 1] }))
      return true
    for (const call of listOf(calls)) {
      if (waiting.has(member(call, 'id'))) return true
      waiting.add(member(call, 'id'))
    }
  }
  return waiting.size > 0
}

const nameIn = (item: unknown) =>
  textOf(member(member(item, 'function') ?? member(item, 'custom'), 'name'))

type Given = VendorRules & { readonly declared: ReadonlySet<string>; readonly isOutline: boolean }
type Place = { readonly isPast: boolean; readonly before: unknown }

const ROLES = wordSet('system developer user assistant tool')
/** OpenAI still takes the form that came before `tool_calls`. */
const OPENAI_ROLES = wordSet('system developer user assistant tool function')

function refusalOf(given: Given): (message: unknown, place: Place) => boolean {
  const { card } = given
  const { content, reasoningBack: back } = card
  const foreign =
    card.vendor === 'openai'
      ? [
          'thinking_blocks',
          'images',
          'reasoning',
          'cache_control',
          ...(back.takesDetails ? [] : ['reasoning_details']),
          ...(back.takesSignatures ? [] : ['extra_content']),
        ]
      : ['function_call']
  const roles = card.vendor === 'openai' ? OPENAI_ROLES : ROLES
  const isRefusedCall = callRefusal(given)
  const isOutOfPlace = (role: unknown, before: unknown) =>
    (!content.takesUserAfterTool && role === 'user' && before === 'tool') ||
    (!content.takesRepeatedRoles && role === before && (role === 'user' || role === 'assistant'))
  return (message, { isPast, before }) => {
    if (!isRecord(message)) return false
    const { role } = message
    const calls = listOf(message['tool_calls'])
    return (
      !roles.has(textOf(role)) ||
      isOutOfPlace(role, member(before, 'role')) ||
      foreign.some((name) => isPresent(message[name])) ||
      (role === 'assistant' && calls.length === 0 && isSilent(message, given)) ||
      calls.some(isRefusedCall) ||
      (isTemplate(card) && Array.isArray(message['content'])) ||
      (card.vendor === 'openai' && listOf(message['content']).some(isMarked)) ||
      (isPast && isRefusedContent(message, given))
    )
  }
}

function isRefusedContent({ role, content }: JsonRecord, { card, isOutline }: Given): boolean {
  const parts = listOf(content)
  const isBlank = content === '' || (Array.isArray(content) && parts.every(isBlankPart))
  return (
    (!isOutline && role === 'user' && isBlank) ||
    parts.some((part) => isRefusedPart(part, role, card))
  )
}

const isBlankPart = (part: unknown) => member(part, 'text') === ''

/** The model's chat template, which any server may use, takes a strict order and short ids. */
export const isTemplate = ({ content }: ModelCard): boolean => !content.takesRepeatedRoles

/** An outline shows a long text as an empty one. */
function isSilent(message: JsonRecord, { card, isOutline }: Given): boolean {
  const { content } = message
  const others = ['refusal', 'audio', 'function_call']
  if (card.vendor === 'openai' && others.some((name) => isPresent(message[name]))) return false
  const isBlank = Array.isArray(content) ? content.length === 0 : !isPresent(content)
  return isBlank || (content === '' && !isOutline)
}

const isMarked = (item: unknown) => isPresent(member(item, 'cache_control'))

function callRefusal({ card, rules: { names, ids }, declared, isOutline }: Given) {
  const lengthMax = Math.max(ids?.lengthMax ?? 0, IDS_LENGTH_MIN)
  return (call: unknown): boolean => {
    const [id, name] = [textOf(member(call, 'id')), nameIn(call)]
    const input = textOf(member(member(call, 'function'), 'arguments'))
    const isCustom = member(call, 'custom') !== undefined
    return (
      id === '' ||
      (ids !== null && (isTemplate(card) ? !ids.pattern.test(id) : id.length > lengthMax)) ||
      name.length > names.lengthMax ||
      !names.pattern.test(name) ||
      (isCustom ? card.vendor !== 'openai' : !isOutline && !isRecord(parseJson(input))) ||
      (!card.tools.takesUndeclaredCalls && !declared.has(name)) ||
      (card.vendor === 'openai' && (isMarked(call) || isPresent(member(call, 'extra_content'))))
    )
  }
}

/** Mistral's own address gets short ids in every history. */
const IDS_LENGTH_MIN = 40

const IMAGES = /^data:image\/(?:png|jpe?g|gif|webp);|^https?:/i

function isRefusedPart(part: unknown, role: unknown, card: ModelCard): boolean {
  const type = textOf(member(part, 'type'))
  if (typeof part === 'string' || type === 'text' || type === 'refusal') return false
  if (card.content.takesTextOnly) return true
  if (role === 'tool') return !takesShowingResults(card)
  if (card.vendor !== 'openai') return false
  if (role !== 'user') return true
  if (type === 'input_audio') {
    return !/^(?:wav|mp3)$/.test(textOf(member(member(part, type), 'format')))
  }
  const image = member(part, 'image_url')
  const url = textOf(isRecord(image) ? image['url'] : image)
  return type === 'image_url' ? !IMAGES.test(trueDataUrl(url)) : type !== 'file'
}
