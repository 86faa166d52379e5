import { isUtf8 } from 'node:buffer'
import { Untranslatable } from '../../codec/provider-codec.ts'
import { scanMembers } from '../../json-members.ts'
import { isRecord, parseJson, type JsonRecord } from '../../json-value.ts'
import type { TextEndpoint } from '../../provider.ts'
import { unpricedInContents } from '../../unpriced.ts'
import {
  isRequestProblem,
  type JsonBody,
  membersProblem,
  readRequest,
  type RelayRequest,
  type RequestProblem,
} from '../openai/request.ts'
import { textsIn } from '../unread.ts'
import { manyEmbeddings, oneEmbedding, textsToEmbed } from './embeddings.ts'
import { given } from './fields.ts'
import { chatMessages } from './messages.ts'
import { type EmbeddingMethod, nativeEmbeddings } from './native-embeddings.ts'
import { ambiguousMember, nativeBounds, nativeForm } from './native.ts'
import { budgetOf, limitMembers, settingMembers, showsThoughts } from './settings.ts'
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
  readonly asked: RelayRequest | RequestProblem
  /** The answer shall tell what the model thought. */
  readonly withThoughts: boolean
}

/**
 * What a method of a model is asked for, in OpenAI's form. Of contents that have no such form the texts are in
 * it, and the native form says why.
 */
export function readGeminiRequest(body: Buffer, call: Call): ReadGeminiRequest {
  const members = isUtf8(body) ? scanMembers(body) : ({ reason: 'malformed' } as const)
  const json = parseJson(body.toString('utf8'))
  if ('reason' in members || !isRecord(json)) {
    const problem = 'reason' in members ? members : { reason: 'malformed' }
    return { asked: membersProblem(problem), withThoughts: false }
  }
  const given = { body, members, json }
  return { asked: readMethod(given, call), withThoughts: showsThoughts(json) }
}

type Call = { readonly model: string; readonly method: GeminiMethod }

function readMethod(given: JsonBody, { model, method }: Call): RelayRequest | RequestProblem {
  switch (method) {
    case 'generateContent':
    case 'streamGenerateContent':
      return readGeneration(given, { model, method })
    case 'countTokens':
      return inOpenaiForm(() => membersFor(method, given.json), { model })
    case 'embedContent':
    case 'batchEmbedContents':
      return readEmbeddings(given, { model, method })
  }
}

/** Google's own channels can be asked for vectors of several kinds at once. */
function readEmbeddings(
  given: JsonBody,
  { model, method }: { model: string; method: EmbeddingMethod },
): RelayRequest | RequestProblem {
  const { json } = given
  const read = inOpenaiForm(() => membersFor(method, json), { model })
  const obstacle = isRequestProblem(read) ? read : null
  const native = nativeEmbeddings(given, method, obstacle)
  if (native === null) return read
  const isOfMany = obstacle !== null && method === 'batchEmbedContents'
  const told = isOfMany ? inOpenaiForm(() => textsToEmbed(json), { model }) : read
  if (isRequestProblem(told)) return read
  const bytes = given.body.length
  const { promptTokensMost, textBytesMost = bytes } = told
  return {
    ...told,
    native,
    promptTokensMost: Math.max(promptTokensMost, bytes),
    textBytesMost: Math.max(textBytesMost, bytes),
  }
}

/** Google's own channels can be asked for more than OpenAI's form can say. */
function readGeneration(given: JsonBody, call: Call): RelayRequest | RequestProblem {
  const { json } = given
  const ambiguous = ambiguousMember(given)
  if (ambiguous !== null) return ambiguous
  const read = inOpenaiForm(() => membersFor(call.method, json), call)
  const obstacle = isRequestProblem(read) ? read : null
  const told = isRequestProblem(read)
    ? inOpenaiForm(
        () => ({ ...limitMembers(json), ...textMembers(json), ...streamMembers(call) }),
        call,
      )
    : read
  if (isRequestProblem(told)) return told
  const native = nativeForm(given, obstacle)
  const bounds = nativeBounds(told, given, obstacle)
  const unpriced = unpricedInContents(json)
  return { ...told, ...bounds, thinkingBudget: budgetOf(json), native, unpriced }
}

const textMembers = (json: JsonRecord): JsonRecord => ({
  messages: [{ role: 'user', content: textsIn(json).join('\n') }],
})

const streamMembers = ({ method }: Pick<Call, 'method'>): JsonRecord =>
  method === 'streamGenerateContent'
    ? { stream: true, stream_options: { include_usage: true } }
    : {}

function inOpenaiForm(
  members: () => JsonRecord,
  { model }: Pick<Call, 'model'>,
): RelayRequest | RequestProblem {
  try {
    const asked = { model, ...members() }
    const endpoint: TextEndpoint = 'input' in asked ? 'embeddings' : 'chat'
    const read = readRequest(endpoint, Buffer.from(JSON.stringify(asked)))
    return isRequestProblem(read) ? read : { ...read, hasExtensions: true }
  } catch (error) {
    if (!(error instanceof Untranslatable)) throw error
    const { message, param } = error
    return { type: 'invalid_request_error', message, param, code: null }
  }
}

function membersFor(method: GeminiMethod, json: JsonRecord): JsonRecord {
  switch (method) {
    case 'generateContent':
    case 'streamGenerateContent':
      return { ...chatMembers(json), ...streamMembers({ method }) }
    case 'countTokens': {
      const whole = given(json, 'generateContentRequest')
      return chatMembers(isRecord(whole) ? whole : json)
    }
    case 'embedContent':
      return oneEmbedding(json)
    case 'batchEmbedContents':
      return manyEmbeddings(json)
  }
}

function chatMembers(json: JsonRecord): JsonRecord {
  if (given(json, 'cachedContent') !== undefined) {
    const rule = "'cachedContent' is not possible here: send what it has in 'contents'."
    throw new Untranslatable(rule, 'cachedContent')
  }
  const safety = given(json, 'safetySettings')
  return {
    messages: chatMessages(json),
    ...settingMembers(json),
    ...toolMembers(json),
    ...(Array.isArray(safety) ? { safety_settings: safety } : {}),
  }
}
