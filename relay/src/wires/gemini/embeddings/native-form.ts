import {
  editMembers,
  hasInnerDuplicates,
  type Members,
  scanMembers,
  scanObjects,
  normalizeFieldName,
} from '../../../bytes/json-members.ts'
import { isRecord, type JsonRecord, listOf } from '../../../bytes/json-value.ts'
import { singleStep } from '../../../bytes/steps.ts'
import type { RequestProblem } from '../../../errors/request-problem.ts'
import type { NativeForm } from '../../../relay-request.ts'
import type { OutlinedBody } from '../../json-body.ts'
import { resourceOf } from '../address.ts'

export type EmbeddingMethod = 'embedContent' | 'batchEmbedContents'

/**
 * The request for Google itself; null for requests that must be translated. Google does not always
 * report usage, so only counted texts may be sent: no other parts, and no duplicate members.
 */
export function nativeEmbeddings(
  given: OutlinedBody,
  method: EmbeddingMethod,
  obstacle: RequestProblem | null,
): NativeForm | null {
  const { body, members, outline: json } = given
  const isMany = method === 'batchEmbedContents'
  const requests = isMany ? listOf(json['requests']) : [json]
  const isPlain = requests.every(embedsTexts) && !hasInnerDuplicates(members, json)
  if (!isPlain) return null
  return {
    dialect: 'gemini',
    obstacle,
    isLossy: requests.some(hasOtherMembers),
    headers: {},
    losses: () => (requests.some(hasOtherMembers) ? ['other_members'] : []),
    prepare: () => null,
    encode: ({ model }) =>
      isMany
        ? withModels(body, members, resourceOf(model))
        : withModel(body, members, { json, resource: resourceOf(model) }),
    withUsage: singleStep,
  }
}

function embedsTexts(request: unknown): boolean {
  const content = isRecord(request) ? request['content'] : null
  return isRecord(content) && hasOnly(content, ['parts', 'role']) && areTexts(content['parts'])
}

const areTexts = (parts: unknown) =>
  listOf(parts).every(
    (part) => isRecord(part) && hasOnly(part, ['text']) && typeof part['text'] === 'string',
  )

const hasOnly = (value: JsonRecord, names: readonly string[]) =>
  Object.keys(value).every((name) => names.includes(name))

const TRANSLATED_MEMBERS = new Set(['content', 'model', 'outputdimensionality'])

/** Whether a request has more than other providers get: the text and the dimensions. */
function hasOtherMembers(request: unknown): boolean {
  return Object.entries(isRecord(request) ? request : {}).some(([name, value]) =>
    normalizeFieldName(name) === 'embedcontentconfig'
      ? hasOtherMembers(value)
      : value !== null && !TRANSLATED_MEMBERS.has(normalizeFieldName(name)),
  )
}

/** A single request may omit the model. */
function withModel(
  body: Buffer,
  members: Members,
  { json, resource }: { json: JsonRecord; resource: string },
): Buffer {
  const { model } = json
  if (model === undefined || model === resource) return body
  return editMembers(body, members, { model: JSON.stringify(resource) })
}

/** Each request of a batch must name the model. */
function withModels(body: Buffer, members: Members, resource: string): Buffer {
  const list = members.list.find(({ name }) => name === 'requests')
  const value = body.subarray(list?.valueStart, list?.end)
  const pieces: Buffer[] = []
  let written = 0
  for (const { start, end } of scanObjects(value) ?? []) {
    const request = value.subarray(start, end)
    const named = namedIn(request, resource)
    if (named === request) continue
    pieces.push(value.subarray(written, start), named)
    written = end
  }
  if (written === 0) return body
  const whole = Buffer.concat([...pieces, value.subarray(written)])
  return editMembers(body, members, { requests: whole.toString('utf8') })
}

function namedIn(request: Buffer, resource: string): Buffer {
  const members = scanMembers(request)
  if ('reason' in members) return request
  const own = members.list.find(({ name }) => name === 'model')
  const name = JSON.stringify(resource)
  if (own !== undefined && request.toString('utf8', own.valueStart, own.end) === name) {
    return request
  }
  return editMembers(request, members, { model: name })
}
