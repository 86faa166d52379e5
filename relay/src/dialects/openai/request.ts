import { cardOf, type CardLookup, hostOf } from '../../cards/card-of.ts'
import type { ModelCard } from '../../cards/model-card.ts'
import { pick } from '../../codec/chat-request.ts'
import { fitChat } from '../../fit/fit-chat.ts'
import { fitsTools, fitTools } from '../../fit/fit-tools.ts'
import { ownFormChanges } from '../../fit/own-form.ts'
import { withChanges } from '../../fit/with-changes.ts'
import { editMembers, foldName, hasInnerDuplicates } from '../../json-members.ts'
import { outlineInSteps } from '../../json-outline.ts'
import { isSmall, jsonIn, readJson } from '../../json-parse.ts'
import { NODES_MAX } from '../../json-scan.ts'
import { isRecord, type JsonRecord, member, omit, textOf } from '../../json-value.ts'
import { writeInSteps, writeJson } from '../../json-write.ts'
import type { ProviderDescriptor, TextEndpoint } from '../../provider.ts'
import type { RelayRequest } from '../../relay-request.ts'
import { isRequestProblem, problem, type RequestProblem } from '../../request-problem.ts'
import { hiddenMember } from '../../spelling.ts'
import { finish, type Steps } from '../../steps.ts'
import { namesOtherModels, unpricedInChat } from '../../unpriced.ts'
import {
  attachmentBytes,
  maxAttachmentTokens,
  hasFiles,
  imageCount,
  mediaOf,
  mediaTokensUpperBound,
  refersToStoredAudio,
} from './attachments.ts'
import { withEdits } from './extensions.ts'
import { disguisedMember, type JsonBody, notJson, readMembers } from './json-body.ts'
import { withPrefill } from './prefill.ts'
import { checkFields } from './request-fields.ts'
import {
  changesMessages,
  hasReasoning,
  vendorMessages,
  withoutReasoning,
} from './vendor-messages.ts'

/** Members that decide the charge, so no other spelling of them is accepted. */
const METERED = new Set([
  'model',
  'stream',
  'stream_options',
  'n',
  'best_of',
  'max_tokens',
  'max_completion_tokens',
  'messages',
  'prompt',
  'input',
  'tools',
  'modalities',
  'audio',
])

export const readRequest = (endpoint: TextEndpoint, body: Buffer): RelayRequest | RequestProblem =>
  finish(readRequestInSteps(endpoint, body))

export function* readRequestInSteps(
  endpoint: TextEndpoint,
  body: Buffer,
): Steps<RelayRequest | RequestProblem> {
  const members = yield* readMembers(body)
  if (isRequestProblem(members)) return members
  const outline = yield* outlineInSteps(body, members)
  if (!isRecord(outline)) return notJson()
  if (hasInnerDuplicates(members, outline)) {
    const whole = yield* readJson(body)
    return yield* readRequestInSteps(endpoint, yield* writeJson(whole, body.length))
  }
  const hidden = disguisedMember(members, METERED) ?? hiddenMember(outline, METERED)
  if (hidden !== null) return hidden
  const fieldProblem = checkFields(endpoint, outline)
  if (fieldProblem !== null)
    return problem(fieldProblem.message, fieldProblem.param, fieldProblem.code)
  const json = members.longTexts.length === 0 ? () => outline : lazyJson(body)
  const outlineMedia = mediaOf(outline)
  // A recording without data may still be a long URL that the outline omits.
  const isAudioOmitted = outlineMedia.some(({ kind, source }) => kind === 'audio' && source === '')
  if (isAudioOmitted) yield* readJson(body)
  const media = isAudioOmitted ? mediaOf(json()) : outlineMedia
  const title = titleBytes(endpoint, outline)
  return {
    endpoint,
    model: String(outline['model']),
    stream: endpoint !== 'embeddings' && outline['stream'] === true,
    includeUsage: member(outline['stream_options'], 'include_usage') === true,
    outputLimit: outputLimit(endpoint, outline),
    thinkingBudget: thinkingBudget(
      member(outline['thinking'], 'budget_tokens') ?? member(outline['reasoning'], 'max_tokens'),
    ),
    choices: choiceCount(endpoint, outline),
    promptTokensUpperBound: body.length + maxAttachmentTokens(outline, { media }) + title,
    textBytesUpperBound: body.length - attachmentBytes(media) + title,
    mediaTokensUpperBound: mediaTokensUpperBound(outline, media),
    imageCount: imageCount(media),
    hasFiles: hasFiles(media) || refersToStoredAudio(outline),
    unpriced: unpricedInChat(outline),
    body,
    members,
    outline,
    json,
  }
}

/** Parses the whole request in steps, so that later reads do not block. */
export function* prepareRequest({ body, members, json, task }: RelayRequest): Steps<JsonRecord> {
  const isOutlined = members.longTexts.length > 0
  if (isOutlined || task?.contentType === JSON_TYPE) yield* readJson(body)
  return json()
}

const JSON_TYPE = 'application/json'

/** Bytes of the texts, including the JSON around them but not embedded media. */
export function textBytes({ body, outline, json }: RelayRequest): number {
  const media = mediaOf(outline)
  // Audio and files may be among the long strings that the outline omits.
  const isPlain = media.every(({ kind, source }) => kind === 'image' || source !== '')
  return body.length - attachmentBytes(isPlain ? media : mediaOf(json()))
}

/** Parses a body whose outline is a JSON object. */
function lazyJson(body: Buffer): () => JsonRecord {
  let whole: JsonRecord | undefined
  // Safe because the body is then an object too.
  return () => (whole ??= jsonIn(body, NODES_MAX) as JsonRecord)
}

export function* readTranslated(
  endpoint: TextEndpoint,
  chat: JsonRecord,
  { body, members }: JsonBody,
): Steps<RelayRequest | RequestProblem> {
  const isPlain = isSmall(body.length, members.nodes)
  const bytes = isPlain ? Buffer.from(JSON.stringify(chat)) : yield* writeInSteps(chat)
  return yield* readRequestInSteps(endpoint, bytes)
}

/**
 * Providers differ in which member they obey when both are present, so the larger limit counts.
 * Some providers (those written in Go) treat 0 as absent.
 */
function outputLimit(endpoint: TextEndpoint, json: JsonRecord): number | null {
  if (endpoint === 'embeddings') return 0
  const given = [json['max_completion_tokens'], json['max_tokens']].filter(isLimit)
  return given.length === 0 ? null : Math.max(...given)
}

const THINKING_BUDGET_MAX = 2 ** 30 - 1

/** Invalid budgets count as 0; the provider rejects them. */
export const thinkingBudget = (given: unknown): number =>
  Number.isInteger(given) ? Math.min(Math.max(0, Number(given)), THINKING_BUDGET_MAX) : 0

function choiceCount(endpoint: TextEndpoint, json: JsonRecord): number {
  if (endpoint === 'embeddings') return 1
  const each = Math.max(1, ...[json['n'], json['best_of']].filter(isNumber))
  return endpoint === 'completions' ? each * promptCount(json['prompt']) : each
}

/** A list of numbers is a single prompt; a list of texts or of number lists is several. */
function promptCount(prompt: unknown): number {
  return Array.isArray(prompt) && !isNumber(prompt[0]) ? prompt.length : 1
}

/** Google reads the title with each of the texts. */
export const titleOf = ({ title, input }: JsonRecord) => ({
  title: textOf(title),
  times: promptCount(input),
})

function titleBytes(endpoint: TextEndpoint, json: JsonRecord): number {
  const { title, times } = titleOf(json)
  return endpoint === 'embeddings' ? Buffer.byteLength(title) * times : 0
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number'
}

function isLimit(value: unknown): value is number {
  return isNumber(value) && value > 0
}

/**
 * The body for a provider of the same dialect. Unchanged members keep their bytes; without any
 * change the result is the buffer that came in.
 */
export function encodeRequest(request: RelayRequest, target: EncodingTarget): Buffer {
  const { hasExtensions = false, task } = request
  if (task?.encode !== undefined) return task.encode(target.model)
  const edits = editsFor(request, target)
  if (hasExtensions) {
    const { descriptor, model, baseUrl, cardOf: cards = cardOf } = target
    // Resellers may serve any model in chat completions.
    const isOpenai = descriptor.type === OPENAI_TYPE || descriptor.dialect === 'azure'
    const reasoning = isOpenai ? undefined : { reasoning: { inChat: 'all' } as const }
    const card = cards(hostOf(descriptor, baseUrl), model, reasoning)
    return Buffer.from(JSON.stringify(fitChat(withEdits(request.json(), edits), card)))
  }
  return editMembers(request.body, request.members, applicableEdits(request, edits))
}

/** The request for a codec, which converts it to another form. */
export function requestForCodec(request: RelayRequest, target: EncodingTarget): JsonRecord {
  const json = withEdits(request.json(), editsFor(request, target))
  return target.dropsReasoning === true ? withoutDetails(json) : json
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
  }
  for (const [from, to] of Object.entries(descriptor.renameFields ?? {})) {
    rename(edits, request, from, to)
  }
  for (const [name, value] of Object.entries(descriptor.setFields ?? {})) {
    edits[name] = JSON.stringify(value)
  }
  for (const name of descriptor.dropFields ?? []) edits[name] = null
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
  return card === null ? {} : ownFormChanges(outline, card, request.json)
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
function asksForUsage({ body, members }: RelayRequest): boolean {
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
  { body, members, outline }: RelayRequest,
  from: string,
  to: string,
): void {
  const original = members.list.find(({ name }) => name === from)
  const text = edits[from] ?? (original && body.toString('utf8', original.valueStart, original.end))
  if (text === undefined) return
  edits[from] = null
  const existing = outline[to] ?? null
  if (existing === null && edits[to] === undefined && text !== 'null') edits[to] = text
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
