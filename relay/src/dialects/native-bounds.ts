import { isRecord, type JsonRecord, member, textOf } from '../json-value.ts'
import type { RelayRequest } from '../relay-request.ts'
import type { RequestProblem } from '../request-problem.ts'
import { maxFileTokens, IMAGE_TOKENS_MAX } from './openai/attachments.ts'
import type { JsonBody } from './openai/json-body.ts'

/*
 * Bounds and texts of requests that have no OpenAI form and go only to providers of their own
 * dialect. `scanMembers` has limited their nesting, so recursion is safe.
 */

/** Members whose strings are not prompt text. */
const NON_TEXT_MEMBERS = new Set([
  'data',
  'signature',
  'thoughtSignature',
  'thought_signature',
  'encrypted_content',
  'type',
  'role',
  'model',
])

/** Texts of the request, counted when the provider reports no usage. */
export function textsIn(value: unknown, texts: string[] = []): string[] {
  if (Array.isArray(value)) for (const item of value) textsIn(item, texts)
  else if (isRecord(value)) {
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner !== 'string') textsIn(inner, texts)
      else if (!NON_TEXT_MEMBERS.has(name)) texts.push(inner)
    }
  }
  return texts
}

type MediaPart = { readonly kind: 'image' | 'audio' | 'file'; readonly data: string }

/** Tokens that media can add beyond one token per byte; negative for images in the body. */
export function mediaTokensUpperBound(value: unknown, isGemini: boolean): number {
  const media = mediaIn(value)
  const files = media.filter(({ kind }) => kind === 'file').length
  // Audio has more bytes than tokens.
  return media
    .filter(({ kind }) => kind === 'image')
    .reduce((sum, { data }) => sum + IMAGE_TOKENS_MAX - data.length, maxFileTokens(files, isGemini))
}

/** Bytes of all media, with an upper bound on the tokens of images and audio. */
function untranslatedMedia(value: unknown): { bytes: number; tokensMost: number; images: number } {
  const media = mediaIn(value)
  return {
    images: media.filter(({ kind }) => kind === 'image').length,
    bytes: media.reduce((sum, { data }) => sum + data.length, 0),
    tokensMost: media.reduce(
      (sum, { kind, data }) =>
        kind === 'image' ? sum + IMAGE_TOKENS_MAX : kind === 'audio' ? sum + data.length : sum,
      0,
    ),
  }
}

/** Upper bounds on the input for a provider of the request's own dialect. */
export type NativeBounds = Pick<
  RelayRequest,
  | 'promptTokensUpperBound'
  | 'hasFiles'
  | 'hasServerTools'
  | 'textBytesUpperBound'
  | 'mediaTokensUpperBound'
  | 'imageCount'
>

/** Bounds of the native body, or of its OpenAI form where that is longer. */
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
  const untranslated = obstacle === null ? null : untranslatedMedia(json)
  const mediaBytes = untranslated?.bytes ?? chat.length - textBytesUpperBound
  return {
    textBytesUpperBound: Math.max(textBytesUpperBound, body.length - mediaBytes),
    mediaTokensUpperBound: untranslated?.tokensMost ?? mediaTokensUpperBound,
    imageCount: untranslated?.images ?? imageCount,
  }
}

/** Whether the request has files, whose tokens cannot be counted here. */
export const hasFilesIn = (value: unknown): boolean =>
  mediaIn(value).some(({ kind }) => kind === 'file')

function mediaIn(value: unknown, media: MediaPart[] = []): MediaPart[] {
  if (typeof value !== 'object' || value === null) return media
  if (Array.isArray(value)) for (const item of value) mediaIn(item, media)
  else {
    const own = isRecord(value) ? mediumOf(value) : null
    if (own === null) for (const inner of Object.values(value)) mediaIn(inner, media)
    else media.push(own)
  }
  return media
}

function mediumOf(value: JsonRecord): MediaPart | null {
  if (value['type'] === 'input_image') return { kind: 'image', data: textOf(value['image_url']) }
  const inline = value['inlineData'] ?? value['inline_data']
  const source = inline ?? value['source']
  const data = textOf(member(source, 'data'))
  const mimeType = textOf(member(inline, 'mimeType') ?? member(inline, 'mime_type'))
  if (isRecord(inline) && /^(?:audio|text)\//i.test(mimeType)) return { kind: 'audio', data }
  const isImage = isRecord(inline) ? /^image\//i.test(mimeType) : value['type'] === 'image'
  if (isImage) return { kind: 'image', data }
  const file = value['fileData'] ?? value['file_data'] ?? value['file_id'] ?? value['file_url']
  const isFile = isRecord(inline) || value['type'] === 'document' || (file ?? null) !== null
  return isFile ? { kind: 'file', data } : null
}
