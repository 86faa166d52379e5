import { hasInnerDuplicates } from '../../bytes/json-members.ts'
import { isRecord, type JsonRecord } from '../../bytes/json-value.ts'
import { writeJson } from '../../bytes/json-write.ts'
import { singleStep, type Steps } from '../../bytes/steps.ts'
import { isRequestProblem, type RequestProblem } from '../../errors/request-problem.ts'
import { type ContentCipher, NO_CIPHER } from '../../form/content-cipher.ts'
import {
  type ChatForm,
  type Loss,
  lossMember,
  type Settings,
  textForm,
} from '../../form/request.ts'
import type { TextEndpoint } from '../../provider.ts'
import type { RelayRequest } from '../../relay-request.ts'
import { billedInContents } from '../../usage/billed-features.ts'
import { fieldError, problemOf } from '../fields.ts'
import { type OutlinedBody, readOutline } from '../json-body.ts'
import { textsIn } from '../native-bounds.ts'
import { readTranslated, type Translation, UNREAD } from '../read-translated.ts'
import { manyEmbeddings, oneEmbedding, textsToEmbed } from './embeddings/client.ts'
import { type EmbeddingMethod, nativeEmbeddings } from './embeddings/native-form.ts'
import { readField } from './fields.ts'
import { ambiguousMember, contentBounds, nativeForm } from './native-form.ts'
import { isPlainRequest } from './plain-contents.ts'
import { chatMessages } from './read-contents.ts'
import { budgetOf, limitMembers, settingMembers, includesThoughts } from './read-settings.ts'
import { readTools } from './read-tools.ts'

export const GEMINI_METHODS = [
  'generateContent',
  'streamGenerateContent',
  'countTokens',
  'embedContent',
  'batchEmbedContents',
] as const

const OUTLINE = { keepsBeginnings: true, keepsSmall: true }

export type GeminiMethod = (typeof GEMINI_METHODS)[number]

export type ReadGeminiRequest = {
  readonly request: RelayRequest | RequestProblem
  /** The client wants reasoning in the answer. */
  readonly includeThoughts: boolean
}

/**
 * Reads a call of a model's method. Contents that no other API can express keep only their texts,
 * and the native form states the obstacle.
 */
export function* readGeminiRequest(body: Buffer, call: Call): Steps<ReadGeminiRequest> {
  const given = yield* readOutline(body, { ...OUTLINE, keepsDuplicates: true })
  if (isRequestProblem(given)) return { request: given, includeThoughts: false }
  const request = yield* readMethod(given, call)
  return { request, includeThoughts: includesThoughts(given.outline) }
}

type Call = {
  readonly model: string
  readonly method: GeminiMethod
  readonly cipher: ContentCipher
}

type Read = Steps<RelayRequest | RequestProblem>

function readMethod(given: OutlinedBody, call: Call): Read {
  switch (call.method) {
    case 'generateContent':
    case 'streamGenerateContent':
      return readGeneration(given, call)
    case 'countTokens':
      return readCounted(given, call)
    case 'embedContent':
    case 'batchEmbedContents':
      return readEmbeddings(given, { ...call, method: call.method })
  }
}

function* readCounted(given: OutlinedBody, call: Call): Read {
  const read = yield* readAs('chat', given, membersIn(call))
  return isRequestProblem(read) ? read : (read.obstacle ?? read.request)
}

/** Google's own channels accept different options in a batch; OpenAI's API does not. */
function* readEmbeddings(
  given: OutlinedBody,
  { model, method, cipher }: Call & { method: EmbeddingMethod },
): Read {
  const isBatch = method === 'batchEmbedContents'
  const read = yield* readAs('embeddings', given, {
    ...membersIn({ model, method, cipher }),
    ...(isBatch ? { texts: (json: JsonRecord) => ({ model, ...textsToEmbed(json) }) } : {}),
  })
  if (isRequestProblem(read)) return read
  const { request, obstacle } = read
  const native = nativeEmbeddings(given, method, obstacle)
  return native === null ? (obstacle ?? request) : { ...request, native }
}

/** Google's own channels accept requests that no other API can express. */
function* readGeneration(outlined: OutlinedBody, call: Call): Read {
  const { model } = call
  const ambiguous = ambiguousMember(outlined)
  if (ambiguous !== null) return ambiguous
  const { body, members, whole } = outlined
  const given = hasInnerDuplicates(members, outlined.outline)
    ? yield* readOutline(yield* writeJson(yield* whole.prepare(), body.length), OUTLINE)
    : outlined
  if (isRequestProblem(given)) return given
  const limits = limitsOf(given.outline)
  if (isRequestProblem(limits)) return limits
  const translated = yield* readAs('chat', given, {
    ...membersIn(call),
    texts: (json) => textForm(textsIn(json), { model, ...limits, ...streamMembers(call) }),
  })
  if (isRequestProblem(translated)) return translated
  const { outline } = given
  const { request, obstacle } = translated
  return {
    ...request,
    ...contentBounds(translated),
    thinkingBudget: budgetOf(outline),
    native: nativeForm(given, obstacle),
    billed: billedInContents(outline),
  }
}

const streamMembers = ({ method }: Pick<Call, 'method'>): Partial<Settings> =>
  method === 'streamGenerateContent'
    ? { stream: true, stream_options: { include_usage: true } }
    : {}

type Given = Translation['given']

type ReadGiven = Pick<Translation, 'given' | 'isHead' | 'complete'>

type Form = {
  readonly members: (json: JsonRecord, how: HowRead) => Steps<ReadGiven>
  /** What is kept of a request that no other API can express; absent if that request fails. */
  readonly texts?: (json: JsonRecord) => Given
}

/** `isCut`: long texts have only their beginnings. */
type HowRead = { readonly isOutline: boolean; readonly isCut: boolean }

const membersIn = (call: Call): Form => ({
  members: (json, { isCut, isOutline }) =>
    membersFor(isCut ? { ...call, cipher: NO_CIPHER } : call, json, isOutline),
})

const readAs = (endpoint: TextEndpoint, given: OutlinedBody, form: Form) =>
  readTranslated(given, {
    endpoint,
    translate: (json, isOutline) => {
      const isCut = isOutline && given.members.longTexts.length > 0
      return translate(json, form, { isOutline, isCut })
    },
    contents: (json) => [readField(json, 'contents'), readField(json, 'systemInstruction')],
    bytes: given.body.length,
  })

function* translate(
  json: JsonRecord,
  { members, texts }: Form,
  how: HowRead,
): Steps<Translation | RequestProblem> {
  let obstacle: RequestProblem
  try {
    return { ...(yield* members(json, how)), obstacle: null }
  } catch (error) {
    obstacle = problemOf(error)
  }
  try {
    return texts === undefined ? obstacle : { given: texts(json), obstacle }
  } catch {
    return obstacle
  }
}

function limitsOf(json: JsonRecord): ReturnType<typeof limitMembers> | RequestProblem {
  try {
    return limitMembers(json)
  } catch (error) {
    return problemOf(error)
  }
}

function membersFor(call: Call, json: JsonRecord, isOutline: boolean): Steps<ReadGiven> {
  const { model, method } = call
  switch (method) {
    case 'generateContent':
    case 'streamGenerateContent':
      return chatForm(json, call, isOutline)
    case 'countTokens': {
      const whole = readField(json, 'generateContentRequest')
      return chatForm(isRecord(whole) ? whole : json, call, false)
    }
    case 'embedContent':
      return singleStep({ given: { model, ...oneEmbedding(json) } })
    case 'batchEmbedContents':
      return singleStep({ given: { model, ...manyEmbeddings(json) } })
  }
}

function* chatForm(json: JsonRecord, call: Call, isOutline: boolean): Steps<ReadGiven> {
  if (readField(json, 'cachedContent') !== undefined) {
    throw fieldError('cachedContent', "is not possible here: send what it has in 'contents'")
  }
  const safety = readField(json, 'safetySettings')
  const { tools, choice } = readTools(json)
  const settings = {
    model: call.model,
    ...settingMembers(json),
    ...choice,
    ...(Array.isArray(safety) ? { safety_settings: safety } : {}),
    ...streamMembers(call),
  }
  const complete = function* (): Steps<ChatForm> {
    const losses = new Set<Loss>()
    const messages = yield* chatMessages(json, { losses, cipher: call.cipher })
    return { messages, tools, settings, ...lossMember(losses) }
  }
  return isOutline && isPlainRequest(json)
    ? { given: { messages: UNREAD, tools, settings }, isHead: true, complete }
    : { given: yield* complete() }
}
