import { type Adaptations, noteChanges, noteSettings } from '../../adaptations.ts'
import { cardOf, type CardLookup, hostOf } from '../../cards/card-of.ts'
import type { ModelCard } from '../../cards/model-card.ts'
import { pick } from '../../codec/chat-request.ts'
import { UnsupportedParameterError } from '../../codec/provider-codec.ts'
import { fitChat } from '../../fit/fit-chat.ts'
import { fitsTools, fitTools } from '../../fit/fit-tools.ts'
import { ownFormChanges } from '../../fit/own-form.ts'
import { withChanges } from '../../fit/with-changes.ts'
import { editMembers, foldName } from '../../json-members.ts'
import { isRecord, type JsonRecord, omit } from '../../json-value.ts'
import type { ProviderDescriptor } from '../../provider.ts'
import type { RelayRequest } from '../../relay-request.ts'
import { namesOtherModels } from '../../unpriced.ts'
import { withEdits } from './extensions.ts'
import { withPrefill } from './prefill.ts'
import { isLimit } from './request.ts'
import {
  changesMessages,
  hasReasoning,
  vendorMessages,
  withoutReasoning,
} from './vendor-messages.ts'

/**
 * The body for a provider of the same dialect. Unchanged members keep their bytes; without any
 * change the result is the buffer that came in.
 */
export function encodeRequest(request: RelayRequest, target: EncodingTarget): Buffer {
  const { hasExtensions = false, task } = request
  if (task?.encode !== undefined) return task.encode(target.model)
  requireTranslation(request)
  const edits = editsFor(request, target)
  if (hasExtensions) {
    const { descriptor, model, baseUrl, cardOf: cards = cardOf } = target
    // Resellers may serve any model in chat completions.
    const isOpenai = descriptor.type === OPENAI_TYPE || descriptor.dialect === 'azure'
    const reasoning = isOpenai ? undefined : { reasoning: { inChat: 'all' } as const }
    const card = cards(hostOf(descriptor, baseUrl), model, reasoning)
    const edited = withEdits(request.json(), edits)
    const fitted = fitChat(edited, card)
    noteChanges(target.adaptations, edited, fitted)
    noteLosses(request, target)
    return Buffer.from(JSON.stringify(fitted))
  }
  return editMembers(request.body, request.members, applicableEdits(request, edits))
}

function requireTranslation({ refusal }: RelayRequest): void {
  const refused = refusal?.() ?? null
  if (refused !== null) throw new UnsupportedParameterError(refused.message, refused.param)
}

/** The request for a codec, which converts it to another form. */
export function requestForCodec(request: RelayRequest, target: EncodingTarget): JsonRecord {
  requireTranslation(request)
  noteLosses(request, target)
  const json = withEdits(request.json(), editsFor(request, target))
  if (target.dropsReasoning !== true) return json
  target.adaptations?.note('reasoning')
  return withoutDetails(json)
}

/** What the translation from the client's dialect has left out. */
function noteLosses({ native }: RelayRequest, { adaptations }: EncodingTarget): void {
  if (native === undefined || adaptations === undefined) return
  for (const loss of native.losses()) adaptations.note(loss)
}

function withoutDetails(json: JsonRecord): JsonRecord {
  const { messages } = json
  if (!Array.isArray(messages)) return json
  const plain = (message: unknown) =>
    isRecord(message) ? omit(message, 'reasoning_details') : message
  return { ...json, messages: messages.map(plain) }
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

/** JSON text by member name; null removes a member. */
function editsFor(request: RelayRequest, target: EncodingTarget): Record<string, string | null> {
  const { descriptor, model } = target
  const edits = chatEdits(request, target)
  if (model !== request.model) edits['model'] = JSON.stringify(model)
  if (request.stream && descriptor.streamUsage === 'on-request' && !asksForUsage(request)) {
    const { stream_options: outlined } = request.outline
    const given = outlined === undefined ? undefined : request.json()['stream_options']
    edits['stream_options'] = JSON.stringify(withUsage(given))
  }
  if (target.outputLimit !== undefined && request.endpoint !== 'embeddings') {
    // Azure deployments have names of their own, so both names are checked.
    const names = descriptor.dialect === 'azure' ? [model, request.model] : [model]
    const isRenamed = names.some((name) => limitMember(name, target) !== 'max_tokens')
    limitOutput(edits, request, isRenamed, target.outputLimit)
    if (target.outputLimit < (request.outputLimit ?? 0)) target.adaptations?.note('max_tokens')
  }
  for (const [from, to] of Object.entries(descriptor.renameFields ?? {})) {
    rename(edits, request, from, to)
  }
  for (const [name, value] of Object.entries(descriptor.setFields ?? {})) {
    edits[name] = JSON.stringify(value)
  }
  for (const name of descriptor.dropFields ?? []) {
    edits[name] = null
    if ((request.outline[name] ?? null) !== null) target.adaptations?.note('other_members')
  }
  for (const { name } of request.members.list) if (namesOtherModels(name)) edits[name] = null
  for (const [list, ...others] of TOOL_LISTS) {
    if (isEmptyList(request.outline[list])) for (const name of [list, ...others]) edits[name] = null
  }
  return edits
}

function chatEdits(request: RelayRequest, target: EncodingTarget): Record<string, string | null> {
  const { descriptor, prefill } = target
  const accepted = acceptedChanges(request, target)
  const isFitted = fitsTools(request, descriptor)
  const isChanged = request.endpoint === 'chat' && changesMessages(descriptor)
  const leavesReasoning = refusesReasoning(request, target)
  if (!isFitted && !isChanged && !leavesReasoning) return editsOf(accepted, request.outline)
  const given = request.json()
  const told = leavesReasoning ? withoutReasoning(given) : given
  if (leavesReasoning) target.adaptations?.note('reasoning')
  const fitted = isFitted ? fitTools(told, target) : withChanges(told, accepted)
  const hasPrefill = prefill !== undefined && descriptor.prefill !== undefined
  const prefilled = hasPrefill ? withPrefill(fitted, prefill) : fitted
  const messages = vendorMessages(prefilled, descriptor)
  return editsOf({ ...accepted, ...pick(prefilled, 'tools', 'tool_choice'), messages }, given)
}

/** What the vendor accepts in place of members that it is known to refuse. */
function acceptedChanges(request: RelayRequest, target: EncodingTarget): JsonRecord {
  const { endpoint, hasExtensions = false, outline } = request
  const isOwn = endpoint === 'chat' && !hasExtensions
  const card = isOwn ? ownCard(request, target) : null
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

function editsOf(changes: JsonRecord, given: JsonRecord): Record<string, string | null> {
  const changed = Object.entries(changes).filter(([name, value]) => value !== given[name])
  return Object.fromEntries(
    changed.map(([name, value]) => [name, value === undefined ? null : JSON.stringify(value)]),
  )
}

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
  const { body, members, includeUsage, hasExtensions = false } = request
  if (hasExtensions) return includeUsage
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
  edits: Record<string, string | null>,
  { endpoint, outline }: RelayRequest,
  isRenamed: boolean,
  limit: number,
): void {
  const given = (name: string) => {
    const edit = edits[name]
    return edit === undefined ? outline[name] : Number(edit ?? 0)
  }
  const used = ['max_completion_tokens', 'max_tokens'].filter((name) => isLimit(given(name)))
  const unset = endpoint === 'chat' && isRenamed ? 'max_completion_tokens' : 'max_tokens'
  const names = used.length > 0 ? used : [unset]
  for (const name of names) {
    const wanted = given(name)
    edits[name] = JSON.stringify(isLimit(wanted) ? Math.min(wanted, limit) : limit)
  }
}

/** Moves a member to the provider's name for it, unless the client uses that name itself. */
function rename(
  edits: Record<string, string | null>,
  request: RelayRequest,
  from: string,
  to: string,
): void {
  const { outline } = request
  const text = edits[from] ?? textOfMember(request, from)
  if (text === undefined) return
  edits[from] = null
  const existing = outline[to] ?? null
  if (existing === null && edits[to] === undefined && text !== 'null') edits[to] = text
}

/** The JSON text of a member; undefined for none. */
function textOfMember(request: RelayRequest, name: string): string | undefined {
  const { body, members, outline, hasExtensions = false } = request
  if (hasExtensions) return name in outline ? JSON.stringify(request.json()[name]) : undefined
  const found = members.list.find((one) => one.name === name)
  return found && body.toString('utf8', found.valueStart, found.end)
}

/** Drops edits that change nothing, so that an unchanged body stays the same buffer. */
function applicableEdits(
  { members }: RelayRequest,
  edits: Readonly<Record<string, string | null>>,
): Record<string, string | null> {
  const isPresent = (name: string) => members.list.some((member) => member.name === name)
  return Object.fromEntries(
    Object.entries(edits).filter(([name, value]) => value !== null || isPresent(name)),
  )
}
