import { UnsupportedParameterError } from '../../codec/provider-codec.ts'
import { hasInnerDuplicates } from '../../json-members.ts'
import { isRecord, type JsonRecord } from '../../json-value.ts'
import { writeJson } from '../../json-write.ts'
import type { TextEndpoint } from '../../provider.ts'
import type { RelayRequest } from '../../relay-request.ts'
import { isRequestProblem, type RequestProblem } from '../../request-problem.ts'
import { singleStep, type Steps } from '../../steps.ts'
import { unpricedInContents } from '../../unpriced.ts'
import { textsIn } from '../native-bounds.ts'
import { type JsonBody, readWholeBody } from '../openai/json-body.ts'
import { readTranslated } from '../openai/request.ts'
import { manyEmbeddings, oneEmbedding, textsToEmbed } from './embeddings.ts'
import { readField } from './fields.ts'
import { chatMessages } from './messages.ts'
import { type EmbeddingMethod, nativeEmbeddings } from './native-embeddings.ts'
import { ambiguousMember, nativeBounds, nativeForm } from './native.ts'
import { budgetOf, limitMembers, settingMembers, includesThoughts } from './settings.ts'
import { toolMembers } from './tools.ts'

export const GEMINI_METHODS = [
  'generateContent',
  'streamGenerateContent',
  'countTokens',
  'embedContent',
  'batchEmbedContents',
] as const

export type GeminiMethod = (typeof GEMINI_METHODS)[number]

export type ReadGeminiRequest = {
  readonly request: RelayRequest | RequestProblem
  /** The client wants reasoning in the answer. */
  readonly includeThoughts: boolean
}

/**
 * Converts a call of a model's method to OpenAI's form. Contents without an OpenAI form keep only
 * their texts there, and the native form states the obstacle.
 */
export function* readGeminiRequest(body: Buffer, call: Call): Steps<ReadGeminiRequest> {
  const given = yield* readWholeBody(body)
  if (isRequestProblem(given)) return { request: given, includeThoughts: false }
  return { request: yield* readMethod(given, call), includeThoughts: includesThoughts(given.json) }
}

type Call = { readonly model: string; readonly method: GeminiMethod }

type Read = Steps<RelayRequest | RequestProblem>

function readMethod(given: JsonBody, { model, method }: Call): Read {
  switch (method) {
    case 'generateContent':
    case 'streamGenerateContent':
      return readGeneration(given, { model, method })
    case 'countTokens':
      return inOpenaiForm(() => membersFor(method, given.json), { model, given })
    case 'embedContent':
    case 'batchEmbedContents':
      return readEmbeddings(given, { model, method })
  }
}

/** Google's own channels accept different options in a batch; OpenAI's form does not. */
function* readEmbeddings(
  given: JsonBody,
  { model, method }: { model: string; method: EmbeddingMethod },
): Read {
  const { json } = given
  const read = yield* inOpenaiForm(() => membersFor(method, json), { model, given })
  const obstacle = isRequestProblem(read) ? read : null
  const native = nativeEmbeddings(given, method, obstacle)
  if (native === null) return read
  const isBatch = obstacle !== null && method === 'batchEmbedContents'
  const readable = isBatch
    ? yield* inOpenaiForm(() => singleStep(textsToEmbed(json)), { model, given })
    : read
  if (isRequestProblem(readable)) return read
  const bytes = given.body.length
  const { promptTokensUpperBound, textBytesUpperBound = bytes } = readable
  return {
    ...readable,
    native,
    promptTokensUpperBound: Math.max(promptTokensUpperBound, bytes),
    textBytesUpperBound: Math.max(textBytesUpperBound, bytes),
  }
}

/** Google's own channels accept requests that OpenAI's form cannot express. */
function* readGeneration(given: JsonBody, call: Call): Read {
  const { body, members, json } = given
  const { model } = call
  const ambiguous = ambiguousMember(given)
  if (ambiguous !== null) return ambiguous
  if (hasInnerDuplicates(members, json)) {
    const { request } = yield* readGeminiRequest(yield* writeJson(json, body.length), call)
    return request
  }
  const read = yield* inOpenaiForm(() => membersFor(call.method, json), { model, given })
  const obstacle = isRequestProblem(read) ? read : null
  const readable = isRequestProblem(read)
    ? yield* inOpenaiForm(
        () => singleStep({ ...limitMembers(json), ...textMembers(json), ...streamMembers(call) }),
        { model, given },
      )
    : read
  if (isRequestProblem(readable)) return readable
  yield
  const native = nativeForm(given, obstacle)
  const bounds = nativeBounds(readable, given, obstacle)
  const unpriced = unpricedInContents(json)
  return { ...readable, ...bounds, thinkingBudget: budgetOf(json), native, unpriced }
}

const textMembers = (json: JsonRecord): JsonRecord => ({
  messages: [{ role: 'user', content: textsIn(json).join('\n') }],
})

const streamMembers = ({ method }: Pick<Call, 'method'>): JsonRecord =>
  method === 'streamGenerateContent'
    ? { stream: true, stream_options: { include_usage: true } }
    : {}

function* inOpenaiForm(
  members: () => Steps<JsonRecord>,
  { model, given }: Pick<Call, 'model'> & { given: JsonBody },
): Read {
  try {
    const translated = { model, ...(yield* members()) }
    const endpoint: TextEndpoint = 'input' in translated ? 'embeddings' : 'chat'
    const read = yield* readTranslated(endpoint, translated, given)
    return isRequestProblem(read) ? read : { ...read, hasExtensions: true }
  } catch (error) {
    if (!(error instanceof UnsupportedParameterError)) throw error
    const { message, param } = error
    return { type: 'invalid_request_error', message, param, code: null }
  }
}

function* membersFor(method: GeminiMethod, json: JsonRecord): Steps<JsonRecord> {
  switch (method) {
    case 'generateContent':
    case 'streamGenerateContent':
      return { ...(yield* chatMembers(json)), ...streamMembers({ method }) }
    case 'countTokens': {
      const whole = readField(json, 'generateContentRequest')
      return yield* chatMembers(isRecord(whole) ? whole : json)
    }
    case 'embedContent':
      return oneEmbedding(json)
    case 'batchEmbedContents':
      return manyEmbeddings(json)
  }
}

function* chatMembers(json: JsonRecord): Steps<JsonRecord> {
  if (readField(json, 'cachedContent') !== undefined) {
    const rule = "'cachedContent' is not possible here: send what it has in 'contents'."
    throw new UnsupportedParameterError(rule, 'cachedContent')
  }
  const safety = readField(json, 'safetySettings')
  return {
    messages: yield* chatMessages(json),
    ...settingMembers(json),
    ...toolMembers(json),
    ...(Array.isArray(safety) ? { safety_settings: safety } : {}),
  }
}
