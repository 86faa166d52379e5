import { editMembers, foldName, type Members } from '../../bytes/json-members.ts'
import { isPresent, isRecord, type JsonRecord, listOf, omit, pick } from '../../bytes/json-value.ts'
import { wireRulesOf } from '../../cards/alphabets.ts'
import { cardOf, hostOf } from '../../cards/card-of.ts'
import type { ModelCard } from '../../cards/model-card.ts'
import { type Adaptations, noteSettings } from '../../fit/adaptations.ts'
import { chatRenames, NO_RENAMES, type Renames } from '../../fit/names.ts'
import { ownFormChanges } from '../../fit/own-form.ts'
import { withChanges } from '../../fit/with-changes.ts'
import { IS_IMAGE } from '../../media/data-url.ts'
import type { ProviderDescriptor } from '../../provider.ts'
import type { RelayRequest } from '../../relay-request.ts'
import { namesOtherModels } from '../../usage/billed-features.ts'
import {
  cardAt,
  type EncodingTarget,
  fitRequest,
  FORM_DIALECTS,
  noteLosses,
  OPENAI_TYPE,
  requireTranslation,
} from '../fit-request.ts'
import { isTemplate } from './accepted-message.ts'
import { mendedMembers } from './mend-messages.ts'
import { isLimit } from './read-head.ts'
import {
  changesMessages,
  hasReasoning,
  vendorMessages,
  withoutReasoning,
  withPrefill,
} from './vendor-messages.ts'
import { writeChat, writeChatFor } from './write-request.ts'

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
  const { renameFields = {}, setFields = {} } = descriptor
  const dropFields = droppedFields(descriptor, json)
  noteDropped(adaptations, dropFields, outline)
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
  const { renameFields, setFields } = descriptor
  const dropFields = droppedFields(descriptor, request.outline)
  for (const from in renameFields) rename(changes, request, from, renameFields[from] ?? from)
  for (const name in setFields) changes[name] = setFields[name]
  for (const name of dropFields) changes[name] = undefined
  noteDropped(target.adaptations, dropFields, request.outline)
  for (const { name } of request.members.list) if (namesOtherModels(name)) changes[name] = undefined
  for (const names of TOOL_LISTS) {
    const [list, choice] = names
    const given = request.outline[list] ?? null
    // A call that is demanded without tools is left for the provider to refuse.
    const isUnneeded = given === null ? isOptional(request.outline[choice]) : isEmptyList(given)
    if (!isUnneeded || isPresent(changes[list])) continue
    for (const name of names) {
      if (name in request.outline || name in changes) changes[name] = undefined
    }
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
  const fitted = withChanges(given, accepted)
  const told = leavesReasoning ? withoutReasoning(fitted) : fitted
  if (leavesReasoning) target.adaptations?.note('reasoning')
  const hasPrefill = prefill !== undefined && descriptor.prefill !== undefined
  const prefilled = hasPrefill ? withPrefill(told, prefill) : told
  const messages = vendorMessages(prefilled, descriptor)
  return differences({ ...accepted, ...pick(prefilled, 'tools', 'tool_choice'), messages }, given)
}

/** What the vendor accepts in place of members that it is known to refuse. */
function acceptedChanges(request: RelayRequest, target: EncodingTarget): JsonRecord {
  const { endpoint, outline } = request
  if (endpoint !== 'chat') return {}
  const own = ownCard(request, target)
  const card = own ?? strictCard(target)
  if (card === null) return {}
  if (ownRenames(request, target).size > 0) target.adaptations?.note('tool_names')
  const mended = historyChanges(request, card, target)
  const given = { ...outline, ...mended }
  const readAll = () => ({ ...request.json(), ...mended })
  const changes = { ...mended, ...(own === null ? {} : ownFormChanges(given, own, readAll)) }
  noteAccepted(target.adaptations, outline, changes)
  return changes
}

/** The names of tools that a vendor refuses in its own form, which answers give back. */
export function ownRenames(request: RelayRequest, target: EncodingTarget): Renames {
  const isRead = request.endpoint === 'chat' && listOf(request.outline['tools']).length > 0
  const card = isRead ? (ownCard(request, target) ?? strictCard(target)) : null
  const { descriptor, model } = target
  if (card === null) return NO_RENAMES
  return chatRenames(request.outline, wireRulesOf({ ...descriptor, model }).names)
}

/** Only the whole request shows its long texts, and is read if its outline has to change. */
function historyChanges(
  { json, outline, body, members }: RelayRequest,
  card: ModelCard,
  { descriptor, model }: EncodingTarget,
): JsonRecord {
  const vendor = { card, rules: wireRulesOf({ ...descriptor, model }) }
  const isRead =
    changesMessages(descriptor) ||
    NEAR_CHAT.has(descriptor.dialect) ||
    !card.content.takesUnknownMembers ||
    (card.vendor === 'openai' && hasBareImages(body, members))
  const isAccepted = !isRead && Object.keys(mendedMembers(outline, vendor, true)).length === 0
  return isAccepted ? {} : mendedMembers(json(), vendor, false)
}

/** Whether a long text is an image without the head of a data URL, which an outline lacks. */
const hasBareImages = (body: Buffer, { longTexts }: Members): boolean =>
  longTexts.some(({ start }) => IS_IMAGE.test(body.toString('latin1', start + 1, start + 13)))

/** Whether an edit of the client's bytes depends on long texts, which the outline omits. */
export function readsWhole(request: RelayRequest, target: EncodingTarget): boolean {
  if (request.task !== undefined) return false
  let isRead = false
  const json = () => {
    isRead = true
    return request.outline
  }
  changesFor({ ...request, json }, { ...target, adaptations: undefined })
  return isRead
}

/**
 * The card where the vendor's codec gets chat completions, or the model is strict at any address:
 * by its template, or as it demands its reasoning back (danny-avila/LibreChat#13366).
 */
function strictCard(target: EncodingTarget): ModelCard | null {
  const { dialect } = target.descriptor
  if (NEAR_CHAT.has(dialect)) return cardAt(target)
  const card = dialect === 'openai' ? cardAt(target) : null
  const isStrict = (own: ModelCard) =>
    isTemplate(own) ||
    own.content.demandsOrder ||
    own.reasoningBack.policy === 'required_with_calls'
  return card !== null && isStrict(card) ? card : null
}

const NEAR_CHAT: ReadonlySet<string> = new Set(['zhipu', 'minimax'])

function noteAccepted(
  adaptations: Adaptations | undefined,
  outline: JsonRecord,
  changes: JsonRecord,
): void {
  if (adaptations === undefined || Object.keys(changes).length === 0) return
  noteSettings(adaptations, outline, { ...outline, ...changes })
  if ('messages' in changes) adaptations.note('messages')
  if (isPresent(changes['tools'])) adaptations.note('tool_schemas')
}

/** The card of a model at the address of its maker, or at a strict one; null for any other. */
function ownCard(
  { model: asked }: RelayRequest,
  { descriptor, model, baseUrl, cardOf: cards = cardOf }: EncodingTarget,
): ModelCard | null {
  const { dialect, type } = descriptor
  if (dialect !== 'openai' && dialect !== 'azure') return null
  const host = hostOf(descriptor, baseUrl)
  const card = cards(host, model)
  // OpenRouter has a form of its own, also in a channel of OpenAI's type.
  if (dialect !== 'azure' && (type !== OPENAI_TYPE || host === 'openrouter')) {
    return card.vendor === host || !card.content.takesUnknownMembers ? card : null
  }
  // Azure's deployments have names of their own.
  return knownOpenai(card) ?? (asked === model ? null : knownOpenai(cards(host, asked)))
}

const knownOpenai = (card: ModelCard) => (card.vendor === 'openai' && card.isKnown ? card : null)

function differences(changes: JsonRecord, given: JsonRecord): Changes {
  const entries = Object.entries(changes)
  if (entries.length === 0) return {}
  return Object.fromEntries(entries.filter(([name, value]) => value !== given[name]))
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

const NO_NAMES: readonly string[] = []

/** The provider itself refuses several choices. */
const droppedFields = ({ dropFields = NO_NAMES }: ProviderDescriptor, { n }: JsonRecord) =>
  (n ?? 1) === 1 || !dropFields.includes('n')
    ? dropFields
    : dropFields.filter((name) => name !== 'n')

function noteDropped(
  adaptations: Adaptations | undefined,
  names: readonly string[],
  outline: JsonRecord,
): void {
  const isLost = (name: string) => name !== 'n' && (outline[name] ?? null) !== null
  if (names.some(isLost)) adaptations?.note('other_members')
}

/** Tool lists, with the members that OpenAI accepts only together with them. */
const TOOL_LISTS = [
  ['tools', 'tool_choice', 'parallel_tool_calls'],
  ['functions', 'function_call'],
] as const

const isOptional = (choice: unknown) => (choice ?? 'auto') === 'auto' || choice === 'none'

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
  if (existing === null && value !== null && !isPresent(changes[to])) changes[to] = value
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
