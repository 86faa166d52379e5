import { type Adaptations, noteSettings } from '../../adaptations.ts'
import { namesOtherModels } from '../../billed-features.ts'
import { wireRulesOf } from '../../cards/alphabets.ts'
import { cardOf, type CardLookup, hostOf } from '../../cards/card-of.ts'
import type { ModelCard } from '../../cards/model-card.ts'
import { outputLimitOf, pick } from '../../codec/chat-request.ts'
import { UnsupportedParameterError } from '../../codec/provider-codec.ts'
import { fit, type Fitted } from '../../fit/fit.ts'
import { ownFormChanges } from '../../fit/own-form.ts'
import { withChanges } from '../../fit/with-changes.ts'
import {
  type AssistantBlock,
  type AssistantMessage,
  type ChatForm,
  type Message,
  textBlocks,
} from '../../form/request.ts'
import { editMembers, foldName } from '../../json-members.ts'
import { isRecord, type JsonRecord, omit } from '../../json-value.ts'
import type { ProviderDescriptor } from '../../provider.ts'
import { responsesCard } from '../../providers/openai-responses/request.ts'
import type { RelayRequest } from '../../relay-request.ts'
import { readChatForm } from '../../wires/openai-chat/read-request.ts'
import { writeChat, writeChatFor } from '../../wires/openai-chat/write-request.ts'
import { withPrefill } from './prefill.ts'
import { isLimit } from './request.ts'
import {
  changesMessages,
  hasReasoning,
  vendorMessages,
  withoutReasoning,
} from './vendor-messages.ts'

/** What a provider of another wire gets, and how its names of tools become the client's again. */
export type FittedRequest = Pick<Fitted, 'form' | 'renames'>

/** The wires that are written from a form, whatever the client speaks. */
const FORM_DIALECTS: ReadonlySet<string> = new Set(['anthropic', 'gemini', 'responses'])

/**
 * The chat for a provider of another wire than that of the client; null if the provider gets what
 * the client has sent. Throws `UnsupportedParameterError`.
 */
export function fitRequest(request: RelayRequest, target: EncodingTarget): FittedRequest | null {
  const { descriptor, model, adaptations, dropsReasoning = false } = target
  if (request.endpoint !== 'chat') return null
  if (request.form === undefined && !FORM_DIALECTS.has(descriptor.dialect)) return null
  requireTranslation(request)
  noteLosses(request, target)
  if (dropsReasoning) adaptations?.note('reasoning')
  const given = targetedForm(request.form?.get() ?? readChatForm(request.json()), request, target)
  const { form, renames, notes } = fit(given, cardAt(target), wireRulesOf({ ...descriptor, model }))
  for (const note of notes) adaptations?.note(note)
  return { form, renames }
}

function cardAt({ descriptor, model, baseUrl, cardOf: cards = cardOf }: EncodingTarget): ModelCard {
  const { type, dialect } = descriptor
  if (dialect === 'responses') return responsesCard(descriptor, { baseUrl, cardOf: cards }, model)
  // Resellers may serve any model in chat completions.
  const reasoning = type === OPENAI_TYPE ? undefined : { reasoning: { inChat: 'all' } as const }
  return cards(hostOf(descriptor, baseUrl), model, reasoning)
}

/** The chat with the provider's model, the output limit and the prefill. */
function targetedForm(
  { messages, tools, settings }: ChatForm,
  request: RelayRequest,
  { descriptor, model, outputLimit, dropsReasoning = false, prefill, adaptations }: EncodingTarget,
): ChatForm {
  const limit = outputLimitOf(settings)
  const isLimited = outputLimit !== undefined
  if (isLimited && outputLimit < (request.outputLimit ?? 0)) adaptations?.note('max_tokens')
  const limits = {
    max_completion_tokens: undefined,
    max_tokens: Math.min(limit ?? Infinity, outputLimit ?? 0),
  }
  const isPrefilled = prefill !== undefined && descriptor.prefill !== undefined
  return {
    messages: [
      ...(dropsReasoning ? messages.map(withoutDetails) : messages),
      ...(isPrefilled ? [answerOf(prefill)] : []),
    ],
    tools,
    settings: { ...settings, model, ...(isLimited ? limits : {}) },
  }
}

const answerOf = (text: string): AssistantMessage => ({
  role: 'assistant',
  reasoning: '',
  blocks: textBlocks(text),
})

function withoutDetails(message: Message): Message {
  if (message.role !== 'assistant') return message
  const isDetail = (block: AssistantBlock) =>
    block.type === 'seal' && block.seal.kind === 'reasoning_detail'
  return { ...message, blocks: message.blocks.filter((block) => !isDetail(block)) }
}

/**
 * The body for a provider of the same dialect. Unchanged members keep their bytes; without any
 * change the result is the buffer that came in.
 */
export function encodeRequest(
  request: RelayRequest,
  target: EncodingTarget,
  fitted = fitRequest(request, target),
): Buffer {
  const { task } = request
  if (task?.encode !== undefined) return task.encode(target.model)
  if (fitted !== null) {
    return Buffer.from(
      JSON.stringify(vendorRequest(writeChatFor(fitted.form, cardAt(target)), request, target)),
    )
  }
  requireTranslation(request)
  const changes = changesFor(request, target)
  if (request.isTranslated === true) {
    return Buffer.from(JSON.stringify(withoutGoogle(withChanges(request.json(), changes))))
  }
  return editMembers(request.body, request.members, editsOf(request, changes))
}

/** Embeddings without members that only Google has. */
const withoutGoogle = (json: JsonRecord) => omit(json, 'task_type', 'title')

/** The request with the names that the provider has for members and roles. */
function vendorRequest(
  json: JsonRecord,
  { outline }: RelayRequest,
  { descriptor, adaptations }: EncodingTarget,
): JsonRecord {
  const { renameFields = {}, setFields = {}, dropFields = [] } = descriptor
  if (dropFields.some((name) => (outline[name] ?? null) !== null))
    adaptations?.note('other_members')
  const renamed: JsonRecord = Object.fromEntries(
    Object.entries(renameFields).map(([from, to]) => [to, json[to] ?? json[from]]),
  )
  return {
    ...omit(json, ...Object.keys(renameFields), ...dropFields),
    ...renamed,
    ...setFields,
    messages: vendorMessages(json, descriptor),
  }
}

function requireTranslation({ refusal }: RelayRequest): void {
  const refused = refusal?.() ?? null
  if (refused !== null) throw new UnsupportedParameterError(refused.message, refused.param)
}

/** The request for a codec, which converts it to another form. */
export function requestForCodec(
  request: RelayRequest,
  target: EncodingTarget,
  fitted = fitRequest(request, target),
): JsonRecord {
  if (fitted !== null) {
    const { dialect } = target.descriptor
    return FORM_DIALECTS.has(dialect) ? fitted.form.settings : writeChat(fitted.form)
  }
  requireTranslation(request)
  noteLosses(request, target)
  return withChanges(request.json(), changesFor(request, target))
}

/** What the translation from the client's dialect has left out. */
function noteLosses({ native }: RelayRequest, { adaptations }: EncodingTarget): void {
  if (native === undefined || adaptations === undefined) return
  for (const loss of native.losses()) adaptations.note(loss)
}

const OPENAI_TYPE = 1

type EncodingTarget = {
  model: string
  descriptor: ProviderDescriptor
  /** The channel's address; empty for the descriptor's own. */
  baseUrl?: string
  outputLimit?: number
  /** Leaves out encrypted reasoning, which the provider cannot read. */
  dropsReasoning?: boolean
  /** The assistant prefill, for a provider that can continue it. */
  prefill?: string
  /** Absent if the channel's operator states nothing about models. */
  cardOf?: CardLookup | undefined
  /** Collects what the provider gets changed. */
  adaptations?: Adaptations | undefined
}

/** Values by member name; undefined removes a member. */
type Changes = Record<string, unknown>

function changesFor(request: RelayRequest, target: EncodingTarget): Changes {
  const { descriptor, model } = target
  const changes = chatChanges(request, target)
  if (model !== request.model) changes['model'] = model
  if (request.stream && descriptor.streamUsage === 'on-request' && !asksForUsage(request)) {
    const { stream_options: outlined } = request.outline
    const given = outlined === undefined ? undefined : request.json()['stream_options']
    changes['stream_options'] = withUsage(given)
  }
  if (target.outputLimit !== undefined && request.endpoint !== 'embeddings') {
    // Azure deployments have names of their own, so both names are checked.
    const names = descriptor.dialect === 'azure' ? [model, request.model] : [model]
    const isRenamed = names.some((name) => limitMember(name, target) !== 'max_tokens')
    limitOutput(changes, request, isRenamed, target.outputLimit)
    if (target.outputLimit < (request.outputLimit ?? 0)) target.adaptations?.note('max_tokens')
  }
  for (const [from, to] of Object.entries(descriptor.renameFields ?? {})) {
    rename(changes, request, from, to)
  }
  for (const [name, value] of Object.entries(descriptor.setFields ?? {})) {
    changes[name] = value
  }
  for (const name of descriptor.dropFields ?? []) {
    changes[name] = undefined
    if ((request.outline[name] ?? null) !== null) target.adaptations?.note('other_members')
  }
  for (const { name } of request.members.list) if (namesOtherModels(name)) changes[name] = undefined
  for (const [list, ...others] of TOOL_LISTS) {
    if (!isEmptyList(request.outline[list])) continue
    for (const name of [list, ...others]) changes[name] = undefined
  }
  return changes
}

function chatChanges(request: RelayRequest, target: EncodingTarget): Changes {
  const { descriptor, prefill } = target
  const accepted = acceptedChanges(request, target)
  const isChanged = request.endpoint === 'chat' && changesMessages(descriptor)
  const leavesReasoning = refusesReasoning(request, target)
  if (!isChanged && !leavesReasoning) return differences(accepted, request.outline)
  const given = request.json()
  const told = leavesReasoning ? withoutReasoning(given) : given
  if (leavesReasoning) target.adaptations?.note('reasoning')
  const fitted = withChanges(told, accepted)
  const hasPrefill = prefill !== undefined && descriptor.prefill !== undefined
  const prefilled = hasPrefill ? withPrefill(fitted, prefill) : fitted
  const messages = vendorMessages(prefilled, descriptor)
  return differences({ ...accepted, ...pick(prefilled, 'tools', 'tool_choice'), messages }, given)
}

/** What the vendor accepts in place of members that it is known to refuse. */
function acceptedChanges(request: RelayRequest, target: EncodingTarget): JsonRecord {
  const { endpoint, outline } = request
  const card = endpoint === 'chat' ? ownCard(request, target) : null
  if (card === null) return {}
  const changes = ownFormChanges(outline, card, request.json)
  noteAccepted(target.adaptations, outline, changes)
  return changes
}

function noteAccepted(
  adaptations: Adaptations | undefined,
  outline: JsonRecord,
  changes: JsonRecord,
): void {
  if (adaptations === undefined || Object.keys(changes).length === 0) return
  noteSettings(adaptations, outline, { ...outline, ...changes })
  if ('messages' in changes) adaptations.note('messages')
  if ('tools' in changes) adaptations.note('tool_schemas')
}

/** The card of a model at the address of its maker; null for any other address. */
function ownCard(
  { model: asked }: RelayRequest,
  { descriptor, model, baseUrl, cardOf: cards = cardOf }: EncodingTarget,
): ModelCard | null {
  const { dialect, type } = descriptor
  if (dialect !== 'openai' && dialect !== 'azure') return null
  const host = hostOf(descriptor, baseUrl)
  const card = cards(host, model)
  if (dialect !== 'azure' && type !== OPENAI_TYPE) return card.vendor === host ? card : null
  // Azure's deployments have names of their own.
  return knownOpenai(card) ?? (asked === model ? null : knownOpenai(cards(host, asked)))
}

const knownOpenai = (card: ModelCard) => (card.vendor === 'openai' && card.isKnown ? card : null)

const differences = (changes: JsonRecord, given: JsonRecord): Changes =>
  Object.fromEntries(Object.entries(changes).filter(([name, value]) => value !== given[name]))

/** Another channel may have given the client reasoning that this vendor refuses to get back. */
function refusesReasoning(
  { endpoint, outline }: RelayRequest,
  { descriptor, model, baseUrl }: EncodingTarget,
): boolean {
  const isPassed = descriptor.dialect === 'openai' || descriptor.dialect === 'azure'
  if (endpoint !== 'chat' || !isPassed || !hasReasoning(outline)) return false
  return cardOf(hostOf(descriptor, baseUrl), model).reasoningBack.policy === 'ignored'
}

/** Tool lists, with the members that OpenAI accepts only together with them. */
const TOOL_LISTS = [
  ['tools', 'tool_choice', 'parallel_tool_calls'],
  ['functions', 'function_call'],
] as const

/** Equivalent to no list, but rejected by many providers. */
const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0

/** Only the minimal form counts: no parser can read it differently. */
function asksForUsage(request: RelayRequest): boolean {
  const { body, members } = request
  const options = members.list.find(({ name }) => name === 'stream_options')
  if (options === undefined) return false
  const text = body.toString('utf8', options.valueStart, options.end)
  return /^\{\s*"include_usage"\s*:\s*true\s*\}$/.test(text)
}

function withUsage(options: unknown): JsonRecord {
  const others = isRecord(options)
    ? Object.entries(options).filter(([name]) => foldName(name) !== 'include_usage')
    : []
  return { ...Object.fromEntries(others), include_usage: true }
}

const limitMember = (model: string, { descriptor, cardOf: cards = cardOf }: EncodingTarget) =>
  cards(hostOf(descriptor), model).limits.outputMember

function limitOutput(
  changes: Changes,
  { endpoint, outline }: RelayRequest,
  isRenamed: boolean,
  limit: number,
): void {
  const given = (name: string) => (name in changes ? changes[name] : outline[name])
  const used = ['max_completion_tokens', 'max_tokens'].filter((name) => isLimit(given(name)))
  const unset = endpoint === 'chat' && isRenamed ? 'max_completion_tokens' : 'max_tokens'
  const names = used.length > 0 ? used : [unset]
  for (const name of names) {
    const wanted = given(name)
    changes[name] = isLimit(wanted) ? Math.min(wanted, limit) : limit
  }
}

/** A value in the client's own bytes. */
class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Moves a member to the provider's name for it, unless the client uses that name itself. */
function rename(changes: Changes, request: RelayRequest, from: string, to: string): void {
  const { outline } = request
  const value = changes[from] ?? memberOf(request, from)
  if (value === undefined) return
  changes[from] = undefined
  const existing = outline[to] ?? null
  if (existing === null && value !== null && !(to in changes)) changes[to] = value
}

/** Undefined for none. */
function memberOf(request: RelayRequest, name: string): unknown {
  const { body, members } = request
  const found = members.list.find((one) => one.name === name)
  if (found === undefined) return undefined
  const text = body.toString('utf8', found.valueStart, found.end)
  return text === 'null' ? null : new JsonText(text)
}

/**
 * JSON text by member name; null removes a member. Changes that change nothing are left out, so
 * that an unchanged body stays the same buffer.
 */
function editsOf({ members }: RelayRequest, changes: Changes): Record<string, string | null> {
  const edits: Record<string, string | null> = {}
  for (const [name, value] of Object.entries(changes)) {
    if (value instanceof JsonText) edits[name] = value.text
    else if (value !== undefined) edits[name] = JSON.stringify(value)
    else if (members.list.some((member) => member.name === name)) edits[name] = null
  }
  return edits
}
