import { isRecord, member, textOf } from '../json-value.ts'
import { FILE_TOKENS_MOST, IMAGE_TOKENS_MOST } from './openai/attachments.ts'

/*
 * What can be told of a request that has no form in OpenAI's words, and goes only to providers of its own
 * dialect. Its values are nested no deeper than `scanMembers` lets pass.
 */

/** Nothing that anybody has written. */
const NO_TEXTS = new Set([
  'data',
  'signature',
  'thoughtSignature',
  'thought_signature',
  'type',
  'role',
  'model',
])

/** Its texts, to be counted where nobody else has counted them. */
export function textsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn)
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    if (typeof inner !== 'string') return textsIn(inner)
    return NO_TEXTS.has(name) ? [] : [inner]
  })
}

/** What media in it can add to its bytes, as tokens; below zero for images in the body. */
export function mediaTokensMost(value: unknown): number {
  if (Array.isArray(value))
    return value.reduce<number>((sum, item) => sum + mediaTokensMost(item), 0)
  if (!isRecord(value)) return 0
  const own = ownTokensMost(value)
  if (own !== null) return own
  return Object.values(value).reduce<number>((sum, inner) => sum + mediaTokensMost(inner), 0)
}

/** Null for what is no medium. An audio has more bytes than it makes tokens. */
function ownTokensMost(value: Readonly<Record<string, unknown>>): number | null {
  const inline = value['inlineData'] ?? value['inline_data']
  const source = inline ?? value['source']
  const data = textOf(member(source, 'data'))
  const mimeType = textOf(member(inline, 'mimeType') ?? member(inline, 'mime_type'))
  if (isRecord(inline) && /^(?:audio|text)\//i.test(mimeType)) return 0
  const isImage = isRecord(inline) ? /^image\//i.test(mimeType) : value['type'] === 'image'
  if (isImage) return IMAGE_TOKENS_MOST - data.length
  const file = value['fileData'] ?? value['file_data'] ?? value['file_id']
  const isFile = isRecord(inline) || value['type'] === 'document' || (file ?? null) !== null
  return isFile ? FILE_TOKENS_MOST : null
}
