import { isUtf8 } from 'node:buffer'
import { Untranslatable } from '../../codec/provider-codec.ts'
import { scanMembers } from '../../json-members.ts'
import { isRecord, parseJson, type JsonRecord } from '../../json-value.ts'
import type { TextEndpoint } from '../../provider.ts'
import {
  isRequestProblem,
  membersProblem,
  readRequest,
  type RelayRequest,
  type RequestProblem,
} from '../openai/request.ts'
import { manyEmbeddings, oneEmbedding } from './embeddings.ts'
import { given } from './fields.ts'
import { chatMessages } from './messages.ts'
import { settingMembers, showsThoughts } from './settings.ts'
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

/** What a method of a model is asked for, in OpenAI's form. */
export function readGeminiRequest(
  body: Buffer,
  call: { readonly model: string; readonly method: GeminiMethod },
): ReadGeminiRequest {
  const members = isUtf8(body) ? scanMembers(body) : ({ reason: 'malformed' } as const)
  const json = parseJson(body.toString('utf8'))
  if ('reason' in members || !isRecord(json)) {
    const problem = 'reason' in members ? members : { reason: 'malformed' }
    return { asked: membersProblem(problem), withThoughts: false }
  }
  return { asked: inOpenaiForm(json, call), withThoughts: showsThoughts(json) }
}

function inOpenaiForm(
  json: JsonRecord,
  { model, method }: { readonly model: string; readonly method: GeminiMethod },
): RelayRequest | RequestProblem {
  try {
    const asked = { model, ...membersFor(method, json) }
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
      return chatMembers(json)
    case 'streamGenerateContent':
      return { ...chatMembers(json), stream: true, stream_options: { include_usage: true } }
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
