import { isRecord } from '../bytes/json-value.ts'
import type { RequestProblem } from '../errors/request-problem.ts'
import type { MediaPart } from '../media/media-in.ts'
import { wordSet } from '../provider.ts'
import type { RelayRequest } from '../relay-request.ts'
import { maxFileTokens, IMAGE_TOKENS_MAX } from '../tokens/attachments.ts'

/*
 * Bounds and texts of requests that have no OpenAI form and go only to providers of their own
 * dialect. `scanMembers` has limited their nesting, so recursion is safe.
 */

/** Members whose strings are not prompt text. */
const NON_TEXT_MEMBERS = wordSet(
  'data signature thoughtSignature thought_signature encrypted_content type role model',
)

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

type Translated = {
  readonly request: RelayRequest
  readonly media: readonly MediaPart[]
  readonly obstacle: RequestProblem | null
}

export function nativeBounds(
  { request: read, media, obstacle }: Translated,
  isGemini = false,
): NativeBounds {
  const files = media.filter(({ kind }) => kind === 'file').length
  if (obstacle === null) return { ...textBounds(read), hasFiles: files > 0 }
  const images = media.filter(({ kind }) => kind === 'image')
  const imageTokens = images.length * IMAGE_TOKENS_MAX
  const imageBytes = sumOf(images)
  // Only the texts are in the form, so the bound is the number of bytes.
  const { promptTokensUpperBound: bytes } = read
  const audioBytes = sumOf(media.filter(({ kind }) => kind === 'audio'))
  return {
    // Audio has more bytes than tokens.
    promptTokensUpperBound: bytes + imageTokens - imageBytes + maxFileTokens(files, isGemini),
    textBytesUpperBound: bytes - sumOf(media),
    mediaTokensUpperBound: imageTokens + audioBytes,
    imageCount: images.length,
    hasFiles: files > 0,
  }
}

const sumOf = (media: readonly MediaPart[]) => media.reduce((sum, { data }) => sum + data.length, 0)

const textBounds = (read: RelayRequest) => ({
  promptTokensUpperBound: read.promptTokensUpperBound,
  textBytesUpperBound: read.textBytesUpperBound ?? read.promptTokensUpperBound,
  mediaTokensUpperBound: read.mediaTokensUpperBound ?? 0,
  imageCount: read.imageCount ?? 0,
})
