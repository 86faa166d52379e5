import { editMembers, foldName, hasInnerDuplicates } from '../../json-members.ts'
import { outlineInSteps } from '../../json-outline.ts'
import { isSmall, jsonIn, readJson } from '../../json-parse.ts'
import { NODES_MAX } from '../../json-scan.ts'
import { isRecord, type JsonRecord, member, textOf } from '../../json-value.ts'
import { writeInSteps, writeSized } from '../../json-write.ts'
import type { ProviderDescriptor, TextEndpoint } from '../../provider.ts'
import type { RelayRequest } from '../../relay-request.ts'
import { isRequestProblem, problem, type RequestProblem } from '../../request-problem.ts'
import { hiddenMember } from '../../spelling.ts'
import { finish, type Steps } from '../../steps.ts'
import { namesOtherModels, unpricedInChat } from '../../unpriced.ts'
import {
  attachmentBytes,
  attachmentTokensMost,
  hasFiles,
  imageCount,
  mediaOf,
  mediaTokensUpperBound,
  namesKeptAudio,
} from './attachments.ts'
import { withEdits, withoutExtensions } from './extensions.ts'
import { disguisedMember, type JsonBody, notJson, readMembers } from './json-body.ts'
import { withBeginning } from './prefill.ts'
import { isReasoningModel } from './reasoning-model.ts'
import { checkFields } from './request-fields.ts'
import { changesMessages, vendorMessages } from './vendor-messages.ts'

/** Members that decide what is charged: none of them may hide behind another spelling. */
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

/** The same in steps. */
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
    return yield* readRequestInSteps(endpoint, yield* writeSized(whole, body.length))
  }
  const hidden = disguisedMember(members, METERED) ?? hiddenMember(outline, METERED)
  if (hidden !== null) return hidden
  const wrong = checkFields(endpoint, outline)
  if (wrong !== null) return problem(wrong.message, wrong.param, wrong.code)
  const json = members.longTexts.length === 0 ? () => outline : wholeOf(body)
  const outlined = mediaOf(outline)
  // What stands for a recording may be long and its address all the same.
  const isCut = outlined.some(({ kind, source }) => kind === 'audio' && source === '')
  if (isCut) yield* readJson(body)
  const media = isCut ? mediaOf(json()) : outlined
  const title = titleBytes(endpoint, outline)
  return {
    endpoint,
    model: String(outline['model']),
    stream: endpoint !== 'embeddings' && outline['stream'] === true,
    includeUsageAsked: member(outline['stream_options'], 'include_usage') === true,
    outputLimit: outputLimit(endpoint, outline),
    thinkingBudget: thinkingBudget(
      member(outline['thinking'], 'budget_tokens') ?? member(outline['reasoning'], 'max_tokens'),
    ),
    choices: choiceCount(endpoint, outline),
    promptTokensUpperBound: body.length + attachmentTokensMost(outline, { media }) + title,
    textBytesUpperBound: body.length - attachmentBytes(media) + title,
    mediaTokensUpperBound: mediaTokensUpperBound(outline, media),
    imageCount: imageCount(media),
    hasFiles: hasFiles(media) || namesKeptAudio(outline),
    unpriced: unpricedInChat(outline),
    body,
    members,
    outline,
    json,
  }
}

/** Parses all of a request in steps; nobody who reads all of it waits for that any more. */
export function* prepareRequest({ body, members, json, task }: RelayRequest): Steps<JsonRecord> {
  const isOutlined = members.longTexts.length > 0
  if (isOutlined || task?.contentType === JSON_TYPE) yield* readJson(body)
  return json()
}

const JSON_TYPE = 'application/json'

/** How many bytes its texts have, with the names around them, but not the media that stand in it. */
export function textBytes({ body, outline, json }: RelayRequest): number {
  const media = mediaOf(outline)
  // Sound and files may be among the long texts, which the outline leaves out.
  const isPlain = media.every(({ kind, source }) => kind === 'image' || source !== '')
  return body.length - attachmentBytes(isPlain ? media : mediaOf(json()))
}

/** What a body says whose outline is a JSON object. */
function wholeOf(body: Buffer): () => JsonRecord {
  let whole: JsonRecord | undefined
  // Safe because then the body is one too.
  return () => (whole ??= jsonIn(body, NODES_MAX) as JsonRecord)
}

/** Reads a chat that was made of a request in another dialect. */
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
 * Vendors differ in which of the two they obey when both are there, so the larger one counts. Some (those
 * written in Go) take a 0 for absent.
 */
function outputLimit(endpoint: TextEndpoint, json: JsonRecord): number | null {
  if (endpoint === 'embeddings') return 0
  const given = [json['max_completion_tokens'], json['max_tokens']].filter(isLimit)
  return given.length === 0 ? null : Math.max(...given)
}

const THINKING_BUDGET_MAX = 2 ** 30 - 1

/** What is no number of tokens is the provider's to refuse. */
export const thinkingBudget = (given: unknown): number =>
  Number.isInteger(given) ? Math.min(Math.max(0, Number(given)), THINKING_BUDGET_MAX) : 0

function choiceCount(endpoint: TextEndpoint, json: JsonRecord): number {
  if (endpoint === 'embeddings') return 1
  const each = Math.max(1, ...[json['n'], json['best_of']].filter(isNumber))
  return endpoint === 'completions' ? each * promptCount(json['prompt']) : each
}

/** A list of numbers is one prompt; a list of texts or of such lists is several. */
function promptCount(prompt: unknown): number {
  return Array.isArray(prompt) && !isNumber(prompt[0]) ? prompt.length : 1
}

/** Google reads the title of what is embedded with each of the texts. */
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
 * The body for a provider of the same dialect. What needs no change keeps its bytes; without any change it
 * is the very buffer that came in.
 */
export function encodeRequest(request: RelayRequest, target: EncodingTarget): Buffer {
  const { hasExtensions = false, task } = request
  if (task?.encode !== undefined) return task.encode(target.model)
  const changes = editsFor(request, target)
  const edits = hasExtensions ? withoutExtensions(changes, request.json(), target.model) : changes
  return editMembers(request.body, request.members, neededEdits(request, edits))
}

/** The same for a codec, which turns it into another form. */
export function requestForCodec(request: RelayRequest, target: EncodingTarget): JsonRecord {
  return withEdits(request.json(), editsFor(request, target))
}

type EncodingTarget = {
  model: string
  descriptor: ProviderDescriptor
  outputLimit?: number
  /** The beginning of the answer, for a provider that can go on from it. */
  begun?: string
}

/** The members that change, as JSON; null for those that go. */
function editsFor(request: RelayRequest, target: EncodingTarget): Record<string, string | null> {
  const { descriptor, model, begun } = target
  const edits: Record<string, string | null> = {}
  if (request.endpoint === 'chat' && changesMessages(descriptor)) {
    const given = request.json()
    const isBegun = begun !== undefined && descriptor.continuesText !== undefined
    const messages = vendorMessages(isBegun ? withBeginning(given, begun) : given, descriptor)
    if (messages !== given['messages']) edits['messages'] = JSON.stringify(messages)
  }
  if (model !== request.model) edits['model'] = JSON.stringify(model)
  if (request.stream && descriptor.streamUsage === 'on-request' && !asksForUsage(request)) {
    const { stream_options: outlined } = request.outline
    const given = outlined === undefined ? undefined : request.json()['stream_options']
    edits['stream_options'] = JSON.stringify(withUsage(given))
  }
  if (target.outputLimit !== undefined && request.endpoint !== 'embeddings') {
    // Deployments have names of their own.
    const names = descriptor.dialect === 'azure' ? [model, request.model] : [model]
    limitOutput(edits, request, names, target.outputLimit)
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

/** Lists of tools, and what OpenAI takes only beside them. */
const TOOL_LISTS = [
  ['tools', 'tool_choice', 'parallel_tool_calls'],
  ['functions', 'function_call'],
] as const

/** The same as none, and refused by many. */
const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0

/** In so few bytes that nobody can read another word into them: not one in another spelling, nor one said twice. */
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

function limitOutput(
  edits: Record<string, string | null>,
  { endpoint, outline }: RelayRequest,
  modelNames: readonly string[],
  limit: number,
): void {
  const used = ['max_completion_tokens', 'max_tokens'].filter((name) => isLimit(outline[name]))
  const thinks = endpoint === 'chat' && modelNames.some(isReasoningModel)
  const names = used.length > 0 ? used : [thinks ? 'max_completion_tokens' : 'max_tokens']
  for (const name of names) {
    const given = outline[name]
    edits[name] = JSON.stringify(isLimit(given) ? Math.min(given, limit) : limit)
  }
}

/** Moves a member to the vendor's name for it, unless the client uses that name itself. */
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
  const taken = outline[to] ?? null
  if (taken === null && edits[to] === undefined && text !== 'null') edits[to] = text
}

/** Edits that would change nothing are left out, so that an unchanged body stays the same buffer. */
function neededEdits(
  { members }: RelayRequest,
  edits: Readonly<Record<string, string | null>>,
): Record<string, string | null> {
  const present = new Set(members.list.map(({ name }) => name))
  return Object.fromEntries(
    Object.entries(edits).filter(([name, value]) => value !== null || present.has(name)),
  )
}
