import { randomUUID } from 'node:crypto'
import {
  isRecord,
  member,
  type JsonRecord,
  omit,
  listOf,
  textOf,
  isIntegerIn,
  isPresent,
} from '../../bytes/json-value.ts'
import type { Steps } from '../../bytes/steps.ts'
import { isRequestProblem, problem, type RequestProblem } from '../../errors/request-problem.ts'
import { type ContentCipher, NO_CIPHER } from '../../form/content-cipher.ts'
import {
  type ChatForm,
  type Loss,
  lossMember,
  type Message,
  type Settings,
  textBlocks,
  textForm,
} from '../../form/request.ts'
import type { RelayRequest } from '../../relay-request.ts'
import type { ClientHeaders } from '../client-dialect.ts'
import { fieldError, problemOf } from '../fields.ts'
import { disguisedMember, type OutlinedBody, readChanged, readOutline } from '../json-body.ts'
import { textsIn } from '../native-bounds.ts'
import { OUTPUT_TOKENS_MAX } from '../openai-chat/check-fields.ts'
import { stopMember } from '../openai-chat/read-settings.ts'
import { readTranslated, type Translation, UNREAD } from '../read-translated.ts'
import { hiddenMember } from '../spelling.ts'
import { definitionBytes } from './built-in-tools.ts'
import { hasChatMembers, withoutChatMembers } from './chat-members.ts'
import { isCompactionTrigger, SUMMARY_REQUEST } from './compaction.ts'
import { continueResponse, firstTurn, keptResponse, type Turn } from './continued-response.ts'
import { ENCRYPTED_REASONING } from './encrypted-content.ts'
import { leavesOut, nativeForm, responsesBounds } from './native-form.ts'
import { isPlainInput } from './plain-input.ts'
import { chatMessages, isReference } from './read-items.ts'
import { readTools, toolsOf } from './read-tools.ts'
import { isResponseKept, type OwnItems } from './recent-items.ts'
import type { ResponseContext } from './response-context.ts'
import { NO_NAMES, type ToolNames } from './tool-names.ts'

const LOGPROBS_MAX = 20
const LOGPROBS = 'message.output_text.logprobs'

const NOT_STORED =
  'Send the earlier items again in `input`. To keep the reasoning,' +
  ` request \`${ENCRYPTED_REASONING}\` in \`include\` and send the reasoning items back as well.`

/** Members that need stored data, with the alternative for each. */
const STATEFUL_MEMBERS: Readonly<Record<string, string>> = {
  conversation: `Conversations are not stored here. ${NOT_STORED}`,
  prompt:
    'Prompt templates are not stored here. Send their text as `instructions` and `input`, with the variables filled in.',
  background: 'Responses cannot be fetched later. Wait for the response, or set `stream`.',
}

const UNSTORED_MEMBERS: Readonly<Record<string, string>> = {
  ...STATEFUL_MEMBERS,
  previous_response_id: `Responses are not stored here. ${NOT_STORED}`,
}

function storedMember(
  json: JsonRecord,
  advice: Readonly<Record<string, string>>,
): RequestProblem | null {
  const name = Object.keys(advice).find((member) => isSet(json[member]))
  if (name === undefined) return null
  return problem(`'${name}' is not possible. ${advice[name]}`, name, 'unsupported_parameter')
}

/** Members that decide the charge. */
const METERED = new Set(['model', 'input', 'max_output_tokens', 'stream', 'tools', 'store'])

const OUTLINE = { keepsBeginnings: true, keepsSmall: true }

export type ResponsesRequest = { readonly request: RelayRequest; readonly context: ResponseContext }

/**
 * Reads a request by its outline. A request that chat completions cannot express keeps only its
 * texts in their form, and the native form states the obstacle.
 */
export function* readResponsesRequest(
  body: Buffer,
  options: ReadOptions,
): Steps<ResponsesRequest | RequestProblem> {
  const sent = yield* readOutline(body, OUTLINE)
  if (isRequestProblem(sent)) return sent
  const isOwn = !hasChatMembers(sent.outline)
  const given = isOwn ? sent : yield* readChanged(sent, withoutChatMembers, OUTLINE)
  if (isRequestProblem(given)) return given
  const { members, outline } = given
  const hidden = disguisedMember(members, METERED) ?? hiddenMember(outline, METERED)
  if (hidden !== null) return hidden
  const { items } = options
  const refused = storedMember(outline, items === null ? UNSTORED_MEMBERS : STATEFUL_MEMBERS)
  if (refused !== null) return refused
  if (items === null || !isSet(outline['previous_response_id'])) {
    return yield* readTurn(given, options, firstTurn(given))
  }
  const continued = continueResponse(given, items)
  if (isRequestProblem(continued)) return continued
  const whole = yield* readOutline(continued.body, OUTLINE)
  return isRequestProblem(whole) ? whole : yield* readTurn(whole, options, continued.turn)
}

/** `turn` is what the client sent; `given` has the whole history. */
function* readTurn(
  given: OutlinedBody,
  { now, items, cipher, headers = {}, allowsUnpriced = false }: ReadOptions,
  turn: Turn,
): Steps<ResponsesRequest | RequestProblem> {
  const { outline } = given
  const refers = items !== null && listOf(outline['input']).some(isReference)
  const referred = refers ? referredBytes(outline, items) : 0
  if (referred > REFERRED_BYTES_MAX) {
    return problem("The items that 'input' refers to are too large.", 'input', 'request_too_large')
  }
  const expand = refers ? expansion(items) : (json: JsonRecord) => json
  const compacts = isCompactionTrigger(listOf(outline['input']).at(-1))
  const added = definitionBytes(toolsOf(outline)) + (compacts ? SUMMARY_REQUEST.length : 0)
  let names = NO_NAMES
  const translated = yield* readTranslated(given, {
    translate: (json, isOutline) => {
      const isCut = isOutline && given.members.longTexts.length > 0
      const options = { cipher: isCut ? NO_CIPHER : cipher, isOutline }
      return translate(expand(json), options, (used) => (names = used))
    },
    contents: ({ input }) => input,
    bytes: given.body.length + referred + added,
  })
  if (isRequestProblem(translated)) return translated
  const { request, obstacle } = translated
  const asked = { obstacle, headers, allowsUnpriced, expand, cipher, compacts }
  const keeps = items !== null && outline['store'] !== false
  const isAsked = outline['store'] === true
  const store = keeps && isResponseKept(turn.input().length, isAsked)
  const context = {
    // A getter would give the context a slow shape.
    echoedSettings: () => echoedSettings(given.whole.get(), { turn, store }),
    tools: names,
    cipher,
    encryptsReasoning: listOf(outline['include']).includes(ENCRYPTED_REASONING),
    now,
    compacts,
    keepItems: keeps ? items.keep : null,
    keepResponse: keeps
      ? (id: string, output: readonly JsonRecord[]) =>
          items.keepResponse(keptResponse(turn, { id, output, compacts, isAsked }))
      : null,
    idSuffix: keeps ? `_${randomUUID().slice(-ID_SUFFIX_LENGTH)}` : '',
  }
  const read = {
    ...request,
    ...responsesBounds(translated, allowsUnpriced),
    mayCompact: listOf(outline['context_management']).length > 0,
    native: nativeForm(given, asked),
  }
  if (allowsUnpriced || !leavesOut(outline)) return { request: read, context }
  const withProviderTools = (): RelayRequest => ({
    ...read,
    ...responsesBounds(translated, true),
    native: nativeForm(given, { ...asked, allowsUnpriced: true }),
  })
  return { request: { ...read, withProviderTools }, context }
}

type TranslateOptions = { readonly cipher: ContentCipher; readonly isOutline: boolean }

/** Only the texts of requests that no other API can express. */
function* translate(
  json: JsonRecord,
  options: TranslateOptions,
  useNames: (names: ToolNames) => void,
): Steps<Translation | RequestProblem> {
  let base: Settings | null = null
  try {
    base = baseMembers(json)
    const read = yield* chatRequest(json, base, options)
    useNames(read.names)
    return { ...read, obstacle: null }
  } catch (error) {
    const obstacle = problemOf(error, 'invalid_value')
    return base === null ? obstacle : { given: textForm(textsIn(json), base), obstacle }
  }
}

export type ReadOptions = {
  readonly now: () => number
  /** The user's items that references may name. */
  readonly items: OwnItems | null
  readonly cipher: ContentCipher
  readonly headers?: ClientHeaders
  /** Features that are billed in addition to tokens may be used. */
  readonly allowsUnpriced?: boolean
}

/** 48 random bits: an id is unique among the items of its user. */
const ID_SUFFIX_LENGTH = 12

/** More text than any context window holds. An item counts each time it is referred to. */
const REFERRED_BYTES_MAX = 2 * 1024 * 1024

function referredBytes({ input }: JsonRecord, { bytesOf }: OwnItems): number {
  const references = listOf(input).filter(isReference)
  return references.reduce<number>((sum, item) => sum + bytesOf(textOf(member(item, 'id'))), 0)
}

/** Ids of reasoning and of calls that the provider ran: the history makes sense without them. */
const DISPENSABLE_ID = /^(?:rs|ws|fs|ci|ig|mcp)_/

/**
 * Replaces references by the items, or leaves them out if the items are gone and dispensable. What
 * was found once stays the same for the request.
 */
function expansion({ find }: OwnItems): (json: JsonRecord) => JsonRecord {
  const found = new Map<string, JsonRecord | null>()
  const findOnce = (id: string) => {
    const known = found.get(id)
    if (known !== undefined) return known
    const item = find(id)
    found.set(id, item)
    return item
  }
  return (json) => {
    const { input } = json
    if (!Array.isArray(input) || !input.some(isReference)) return json
    const items = input.flatMap((item: unknown) => {
      if (!isReference(item)) return [item]
      const id = textOf(member(item, 'id'))
      return findOnce(id) ?? (DISPENSABLE_ID.test(id) ? [] : [item])
    })
    return { ...json, input: items }
  }
}

/** Reads a request that refers to nothing stored, and whose answer is no response. */
export function* readForm(json: JsonRecord): Steps<ChatForm | RequestProblem> {
  const stored = storedMember(json, UNSTORED_MEMBERS)
  if (stored !== null) return stored
  try {
    const options = { cipher: NO_CIPHER, isOutline: false }
    return (yield* chatRequest(json, baseMembers(json), options)).given
  } catch (error) {
    return problemOf(error, 'invalid_value')
  }
}

export function* readInputTokensRequest(
  body: Buffer,
  options: ReadOptions,
): Steps<RelayRequest | RequestProblem> {
  const read = yield* readResponsesRequest(body, options)
  return 'context' in read ? read.request : read
}

const isSet = (value: unknown) => value !== undefined && value !== null && value !== false

type ReadChat = Pick<Translation, 'isHead' | 'complete'> & {
  readonly given: ChatForm
  readonly names: ToolNames
}

/** The members that every request needs, in any form. Throws `UnsupportedParameterError`. */
function baseMembers(json: JsonRecord): Settings {
  const { model, input, stream } = json
  if (typeof model !== 'string' || model === '') throw fieldError('model', 'is missing')
  if (typeof input !== 'string' && !Array.isArray(input)) {
    throw fieldError('input', 'must be a string or an array of items')
  }
  const unknown = listOf(input).findIndex(isReference)
  if (unknown !== -1) throw fieldError(`input[${unknown}]`, UNKNOWN_REFERENCE)
  return {
    model,
    ...limitOf(json['max_output_tokens']),
    ...(stream === true ? { stream: true, stream_options: { include_usage: true } } : {}),
  }
}

const UNKNOWN_REFERENCE =
  'refers to an item that is not or no longer kept here: send the item itself, as clients do with `store: false`'

function* chatRequest(
  json: JsonRecord,
  base: Settings,
  { cipher, isOutline }: TranslateOptions,
): Steps<ReadChat> {
  const { temperature, top_p } = json
  const input = typeof json['input'] === 'string' ? json['input'] : listOf(json['input'])
  const { tools, names, settings: toolSettings } = readTools(json)
  const compacts = Array.isArray(input) && isCompactionTrigger(input.at(-1))
  const settings: Settings = {
    ...base,
    ...(typeof temperature === 'number' ? { temperature } : {}),
    ...(typeof top_p === 'number' ? { top_p } : {}),
    ...toolSettings,
    // Providers require the tools that the history calls.
    ...(compacts && tools.length > 0 ? { tool_choice: 'none' } : {}),
    ...textMembers(json),
    ...logprobMembers(json),
    ...stopMember(json),
    ...textMember('reasoning_effort', member(json['reasoning'], 'effort')),
    ...textMember('prompt_cache_key', json['prompt_cache_key']),
    ...textMember('user', json['user'] ?? json['safety_identifier']),
  }
  const complete = function* (): Steps<ChatForm> {
    const losses = new Set<Loss>()
    const history = yield* chatMessages(json['instructions'], input, { names, losses, cipher })
    const messages = compacts ? [...history, SUMMARY_MESSAGE] : history
    if (messages.length === 0) throw fieldError('input', 'must say something')
    return { messages, tools, settings, ...lossMember(losses) }
  }
  return isOutline && isPlainInput(input)
    ? { given: { messages: UNREAD, tools, settings }, isHead: true, complete, names }
    : { given: yield* complete(), names }
}

const SUMMARY_MESSAGE: Message = { role: 'user', blocks: textBlocks(SUMMARY_REQUEST) }

function limitOf(limit: unknown): Pick<Settings, 'max_tokens'> {
  if (!isPresent(limit)) return {}
  if (isIntegerIn(limit, 1, OUTPUT_TOKENS_MAX)) return { max_tokens: limit }
  throw fieldError('max_output_tokens', `must be an integer from 1 to ${OUTPUT_TOKENS_MAX}`)
}

const textMember = (name: keyof Settings, value: unknown): Partial<Settings> =>
  textOf(value) === '' ? {} : { [name]: value }

/** What `text` says. Throws `UnsupportedParameterError`. */
export const textMembers = ({ text }: JsonRecord): Partial<Settings> => ({
  ...formatMember(member(text, 'format')),
  ...textMember('verbosity', member(text, 'verbosity')),
})

function formatMember(format: unknown): Pick<Settings, 'response_format'> {
  if (!isRecord(format)) return {}
  switch (format['type']) {
    case 'text':
      return {}
    case 'json_object':
      return { response_format: { type: 'json_object' } }
    case 'json_schema': {
      if (!isRecord(format['schema'])) throw fieldError('text.format.schema', 'is missing')
      return { response_format: { type: 'json_schema', json_schema: omit(format, 'type') } }
    }
    default:
      throw fieldError('text.format.type', "must be 'text', 'json_object' or 'json_schema'")
  }
}

function logprobMembers({ include, top_logprobs: top }: JsonRecord): Partial<Settings> {
  const topLogprobs = typeof top === 'number' ? Math.min(Math.max(top, 0), LOGPROBS_MAX) : 0
  if (topLogprobs === 0 && !listOf(include).includes(LOGPROBS)) return {}
  return { logprobs: true, ...(topLogprobs === 0 ? {} : { top_logprobs: topLogprobs }) }
}

/**
 * Settings absent from the request have their defaults or are null, as in OpenAI's responses and
 * the schema of Open Responses (https://www.openresponses.org/specification).
 */
function echoedSettings(
  json: JsonRecord,
  { turn, store }: { turn: Turn; store: boolean },
): JsonRecord {
  const { reasoning, text } = json
  const echoed = (name: string, fallback: unknown = null) => json[name] ?? fallback
  return {
    background: false,
    frequency_penalty: 0,
    instructions: echoed('instructions'),
    max_output_tokens: echoed('max_output_tokens'),
    max_tool_calls: echoed('max_tool_calls'),
    metadata: echoed('metadata', {}),
    parallel_tool_calls: echoed('parallel_tool_calls', true),
    presence_penalty: 0,
    previous_response_id: turn.previous,
    prompt_cache_key: echoed('prompt_cache_key'),
    reasoning: { effort: null, summary: null, ...(isRecord(reasoning) ? reasoning : {}) },
    safety_identifier: echoed('safety_identifier'),
    service_tier: 'default',
    store,
    temperature: echoed('temperature', 1),
    text: { format: { type: 'text' }, ...(isRecord(text) ? text : {}) },
    tool_choice: echoed('tool_choice', 'auto'),
    tools: listOf(json['tools']).map(echoedTool),
    top_logprobs: echoed('top_logprobs', 0),
    top_p: echoed('top_p', 1),
    truncation: 'disabled',
    user: echoed('user'),
  }
}

function echoedTool(tool: unknown): unknown {
  if (!isRecord(tool) || tool['type'] !== 'function') return tool
  const { description = null, parameters = null, strict } = tool
  return { ...tool, description, parameters, strict: strict === true }
}
