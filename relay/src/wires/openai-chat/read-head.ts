import { readJson } from '../../bytes/json-parse.ts'
import { type JsonRecord, member, textOf } from '../../bytes/json-value.ts'
import { finish, type Once, type Steps } from '../../bytes/steps.ts'
import { isRequestProblem, type RequestProblem } from '../../errors/request-problem.ts'
import type { ChatForm } from '../../form/request.ts'
import { type TextEndpoint, wordSet } from '../../provider.ts'
import type { RelayRequest } from '../../relay-request.ts'
import {
  type Attachment,
  attachmentBytes,
  maxAttachmentTokens,
  hasFiles,
  imageCount,
  mediaOf,
  mediaTokensUpperBound,
  refersToStoredAudio,
} from '../../tokens/attachments.ts'
import { billedInChat } from '../../usage/billed-features.ts'
import { disguisedMember, type OutlinedBody, readChanged, readOutline } from '../json-body.ts'
import { hiddenMember } from '../spelling.ts'
import { checkFields } from './check-fields.ts'
import { hasMessagesBlocks, withChatCalls } from './messages-blocks.ts'

/** Members that decide the charge, so no other spelling of them is accepted. */
const METERED = wordSet(`
  model stream stream_options n best_of max_tokens max_completion_tokens messages prompt input
  tools modalities audio
`)

export const readRequest = (endpoint: TextEndpoint, body: Buffer): RelayRequest | RequestProblem =>
  finish(readRequestInSteps(endpoint, body))

export function* readRequestInSteps(
  endpoint: TextEndpoint,
  body: Buffer,
): Steps<RelayRequest | RequestProblem> {
  const given = yield* readOutline(body)
  return isRequestProblem(given) ? given : yield* readOutlined(endpoint, given)
}

export const readOutlined = (
  endpoint: TextEndpoint,
  given: OutlinedBody,
): Steps<RelayRequest | RequestProblem> =>
  endpoint === 'chat' && hasMessagesBlocks(given.outline)
    ? readWithBlocks(endpoint, given)
    : readOwn(endpoint, given)

function* readWithBlocks(
  endpoint: TextEndpoint,
  given: OutlinedBody,
): Steps<RelayRequest | RequestProblem> {
  // Once only: a result inside of a result would have the whole body read for each level.
  const read = yield* readChanged(given, withChatCalls)
  return isRequestProblem(read) ? read : yield* readOwn(endpoint, read)
}

/** Reads a request whose blocks are those of the endpoint itself. */
function* readOwn(
  endpoint: TextEndpoint,
  given: OutlinedBody,
): Steps<RelayRequest | RequestProblem> {
  const { members, outline, whole } = given
  const refused =
    disguisedMember(members, METERED) ??
    hiddenMember(outline, METERED) ??
    checkFields(endpoint, outline)
  if (refused !== null) return refused
  const outlineMedia = mediaOf(outline)
  // A recording without data may still be a long URL that the outline omits.
  const isAudioOmitted = outlineMedia.some(({ kind, source }) => kind === 'audio' && source === '')
  const media = isAudioOmitted ? mediaOf(yield* whole.prepare()) : outlineMedia
  return requestOf(endpoint, given, { bytes: given.body.length, media })
}

/** A request that was translated from another dialect. */
export type Translated = OutlinedBody & {
  /** Absent for embeddings. */
  readonly form?: Once<ChatForm> | undefined
  /** Upper bound on the bytes of the client's body, and of what the translation adds. */
  readonly bytes: number
  /** The media in `outline`. */
  readonly attachments: readonly Attachment[]
}

/** `outline` and `whole` are in OpenAI's form, `body` and `members` in the client's. */
export function translatedRequest(
  endpoint: TextEndpoint,
  translated: Translated,
): RelayRequest | RequestProblem {
  const { outline, form } = translated
  const refused = checkFields(endpoint, outline)
  if (refused !== null) return refused
  const { bytes, attachments: media } = translated
  const request = requestOf(endpoint, translated, { bytes, media })
  return { ...request, ...(form === undefined ? {} : { form }), isTranslated: true }
}

function requestOf(
  endpoint: TextEndpoint,
  { body, members, outline, whole }: OutlinedBody,
  { bytes, media }: Pick<Translated, 'bytes'> & { readonly media: readonly Attachment[] },
): RelayRequest {
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
    promptTokensUpperBound: bytes + maxAttachmentTokens(outline, { media }) + title,
    textBytesUpperBound: bytes - attachmentBytes(media) + title,
    mediaTokensUpperBound: mediaTokensUpperBound(outline, media),
    imageCount: imageCount(media),
    hasFiles: hasFiles(media) || refersToStoredAudio(outline),
    billed: billedInChat(outline),
    body,
    members,
    outline,
    json: () => whole.get(),
    whole,
  }
}

/** Parses the whole request in steps, so that later reads do not block. */
export function* prepareRequest(request: RelayRequest): Steps<JsonRecord> {
  const { body, whole, json, task } = request
  if (whole !== undefined) return yield* whole.prepare()
  if (task?.contentType === JSON_TYPE) yield* readJson(body)
  return json()
}

const JSON_TYPE = 'application/json'

/** Bytes of the texts, including the JSON around them but not embedded media. */
export function textBytes(request: RelayRequest): number {
  const { body, outline, json, isTranslated = false, textBytesUpperBound } = request
  if (isTranslated && textBytesUpperBound !== undefined) return textBytesUpperBound
  const media = mediaOf(outline)
  // Audio and files may be among the long strings that the outline omits.
  const isPlain = media.every(({ kind, source }) => kind === 'image' || source !== '')
  return body.length - attachmentBytes(isPlain ? media : mediaOf(json()))
}

/**
 * Providers differ in which member they obey when both are present, so the larger limit counts.
 * Some providers (those written in Go) treat 0 as absent.
 */
function outputLimit(endpoint: TextEndpoint, json: JsonRecord): number | null {
  if (endpoint === 'embeddings') return 0
  const { max_completion_tokens: current, max_tokens: former } = json
  const limit = Math.max(isLimit(current) ? current : 0, isLimit(former) ? former : 0)
  return limit === 0 ? null : limit
}

const THINKING_BUDGET_MAX = 2 ** 30 - 1

/** Invalid budgets count as 0; the provider rejects them. */
export const thinkingBudget = (given: unknown): number =>
  Number.isInteger(given) ? Math.min(Math.max(0, Number(given)), THINKING_BUDGET_MAX) : 0

function choiceCount(endpoint: TextEndpoint, json: JsonRecord): number {
  if (endpoint === 'embeddings') return 1
  const { n, best_of } = json
  const each = Math.max(1, isNumber(n) ? n : 1, isNumber(best_of) ? best_of : 1)
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

export function isLimit(value: unknown): value is number {
  return isNumber(value) && value > 0
}
