import { isRecord, type JsonRecord, member, textOf } from '../json-value.ts'
import type { RelayRequest } from '../relay-request.ts'
import type { RequestProblem } from '../request-problem.ts'
import { fileTokensMost, IMAGE_TOKENS_MOST } from './openai/attachments.ts'
import type { JsonBody } from './openai/json-body.ts'

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
export function textsIn(value: unknown, texts: string[] = []): string[] {
  if (Array.isArray(value)) for (const item of value) textsIn(item, texts)
  else if (isRecord(value)) {
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner !== 'string') textsIn(inner, texts)
      else if (!NO_TEXTS.has(name)) texts.push(inner)
    }
  }
  return texts
}

type Medium = { readonly kind: 'image' | 'audio' | 'file'; readonly data: string }

/** What media in it can add to its bytes, as tokens; below zero for images in the body. */
export function mediaTokensUpperBound(value: unknown, isGemini: boolean): number {
  const media = mediaIn(value)
  const files = media.filter(({ kind }) => kind === 'file').length
  // An audio has more bytes than it makes tokens.
  return media
    .filter(({ kind }) => kind === 'image')
    .reduce(
      (sum, { data }) => sum + IMAGE_TOKENS_MOST - data.length,
      fileTokensMost(files, isGemini),
    )
}

/** What is no text in it: the bytes of its media, and the tokens that images and audio have at most. */
function unreadMedia(value: unknown): { bytes: number; tokensMost: number; images: number } {
  const media = mediaIn(value)
  return {
    images: media.filter(({ kind }) => kind === 'image').length,
    bytes: media.reduce((sum, { data }) => sum + data.length, 0),
    tokensMost: media.reduce(
      (sum, { kind, data }) =>
        kind === 'image' ? sum + IMAGE_TOKENS_MOST : kind === 'audio' ? sum + data.length : sum,
      0,
    ),
  }
}

/** How much there is to read for a provider of the request's own dialect. */
export type NativeBounds = Pick<
  RelayRequest,
  | 'promptTokensUpperBound'
  | 'hasFiles'
  | 'textBytesUpperBound'
  | 'mediaTokensUpperBound'
  | 'imageCount'
>

/** Of the native body, or of its OpenAI form where that is longer. */
export function textBounds(
  {
    body: chat,
    textBytesUpperBound = chat.length,
    mediaTokensUpperBound = 0,
    imageCount = 0,
  }: RelayRequest,
  { body, json }: Pick<JsonBody, 'body' | 'json'>,
  obstacle: RequestProblem | null,
): Pick<NativeBounds, 'textBytesUpperBound' | 'mediaTokensUpperBound' | 'imageCount'> {
  const unread = obstacle === null ? null : unreadMedia(json)
  const mediaBytes = unread?.bytes ?? chat.length - textBytesUpperBound
  return {
    textBytesUpperBound: Math.max(textBytesUpperBound, body.length - mediaBytes),
    mediaTokensUpperBound: unread?.tokensMost ?? mediaTokensUpperBound,
    imageCount: unread?.images ?? imageCount,
  }
}

/** Whether there are files in it, of which nobody here knows how many tokens they have. */
export const hasFilesIn = (value: unknown): boolean =>
  mediaIn(value).some(({ kind }) => kind === 'file')

function mediaIn(value: unknown, media: Medium[] = []): Medium[] {
  if (typeof value !== 'object' || value === null) return media
  if (Array.isArray(value)) for (const item of value) mediaIn(item, media)
  else {
    const own = isRecord(value) ? mediumOf(value) : null
    if (own === null) for (const inner of Object.values(value)) mediaIn(inner, media)
    else media.push(own)
  }
  return media
}

function mediumOf(value: JsonRecord): Medium | null {
  const inline = value['inlineData'] ?? value['inline_data']
  const source = inline ?? value['source']
  const data = textOf(member(source, 'data'))
  const mimeType = textOf(member(inline, 'mimeType') ?? member(inline, 'mime_type'))
  if (isRecord(inline) && /^(?:audio|text)\//i.test(mimeType)) return { kind: 'audio', data }
  const isImage = isRecord(inline) ? /^image\//i.test(mimeType) : value['type'] === 'image'
  if (isImage) return { kind: 'image', data }
  const file = value['fileData'] ?? value['file_data'] ?? value['file_id']
  const isFile = isRecord(inline) || value['type'] === 'document' || (file ?? null) !== null
  return isFile ? { kind: 'file', data } : null
}
