import { isRecord, type JsonRecord, listOf, member, textOf } from '../bytes/json-value.ts'

/*
 * Upper bounds for the tokens of a part beyond one token per byte of its JSON.
 * Image: gpt-4o-mini takes 2833 + 8 tiles × 5667. Other models take at most 10 000 patches × 1.2
 * (GPT-5.4 and later, original size), gpt-4o 1445, Claude 4784, and Gemini 3 takes 2240.
 */
export const IMAGE_TOKENS_MAX = 12_000
const MINI_IMAGE_TOKENS_MAX = 48_169
/** Alibaba's `vl_high_resolution_images`: 16 384 tokens per image, plus 2 around it. */
export const FINE_IMAGE_TOKENS_MAX = 16_386
/** A referenced file may have any length: the input window of the models that read files. */
export const FILE_TOKENS_MAX = 272_000
/** Gemini's input window (`inputTokenLimit` in Google's model list): an hour of video. */
export const GEMINI_TOKENS_MAX = 1_048_576
const GEMINI = /gemini/i
const UNKNOWN: Attachment = { kind: 'unknown', source: '', detail: '' }
const IMAGE_IN_BODY = /^data:image\//i

export type Attachment = {
  readonly kind: 'image' | 'audio' | 'file' | 'unknown'
  /** A URL, a data URL, or base64; empty when there is none. */
  readonly source: string
  readonly detail: string
}

export function attachmentsOf(json: JsonRecord): Attachment[] {
  const media: Attachment[] = []
  for (const message of listOf(json['messages'])) {
    for (const part of listOf(member(message, 'content'))) media.push(...readAttachment(part))
  }
  return media
}

/**
 * Includes images that the model generated earlier, and the search in Azure's data sources, whose
 * results are part of the prompt. Providers that get these report usage.
 */
export function mediaOf(json: JsonRecord): Attachment[] {
  const media = attachmentsOf(json)
  for (let left = listOf(json['data_sources']).length; left > 0; left -= 1) media.push(UNKNOWN)
  for (const message of listOf(json['messages'])) {
    for (const image of listOf(member(message, 'images'))) {
      media.push(imageOf(member(image, 'image_url'), ''))
    }
  }
  return media
}

/** Whether the request has files, whose tokens cannot be counted here. */
export const hasFiles = (media: readonly Attachment[]): boolean =>
  media.some(({ kind }) => kind === 'file' || kind === 'unknown')

/** Whether a message refers to stored audio of an earlier answer, which the model reads again. */
export const refersToStoredAudio = (json: JsonRecord): boolean =>
  listOf(json['messages']).some((message) => isRecord(member(message, 'audio')))

/** All files of a request to Gemini share one input window. */
export const maxFileTokens = (count: number, isGemini: boolean): number =>
  isGemini ? Math.min(count, 1) * GEMINI_TOKENS_MAX : count * FILE_TOKENS_MAX

export function maxImageTokens(json: JsonRecord, model = String(json['model'])): number {
  if (model.includes('gpt-4o-mini')) return MINI_IMAGE_TOKENS_MAX
  const isFine = (json['vl_high_resolution_images'] ?? false) !== false
  return isFine ? FINE_IMAGE_TOKENS_MAX : IMAGE_TOKENS_MAX
}

/** Per base64 character: 32 tokens/s at 750 bytes/s, which is below any speech codec. */
const AUDIO_TOKENS_PER_CHARACTER = 0.04

/** Upper bound on the tokens of images and audio. Only the provider can count those of files. */
export function mediaTokensUpperBound(json: JsonRecord, media: readonly Attachment[]): number {
  if (media.length === 0) return 0
  const imageTokensMax = maxImageTokens(json)
  return media.reduce((sum, { kind, source }) => {
    if (kind === 'image') return sum + imageTokensMax
    return kind === 'audio' ? sum + Math.ceil(source.length * AUDIO_TOKENS_PER_CHARACTER) : sum
  }, 0)
}

export const imageCount = (media: readonly Attachment[]): number =>
  media.filter(({ kind }) => kind === 'image').length

/** Tokens that media can add beyond one token per byte; negative for images in the body. */
export function maxAttachmentTokens(
  json: JsonRecord,
  {
    isGemini = GEMINI.test(String(json['model'])),
    media = mediaOf(json),
  }: { readonly isGemini?: boolean; readonly media?: readonly Attachment[] } = {},
): number {
  if (media.length === 0) return 0
  const imageTokensMax = maxImageTokens(json)
  const files = media.filter(({ kind }) => kind === 'file').length
  const unknown = media.some(({ kind }) => kind === 'unknown') ? 1 : 0
  return media.reduce(
    (sum, attachment) => {
      switch (attachment.kind) {
        case 'image':
          return (
            sum +
            imageTokensMax -
            (IMAGE_IN_BODY.test(attachment.source) ? attachment.source.length : 0)
          )
        // Base64 audio has more bytes than tokens: 32 tokens/s at 1000 bytes/s or more.
        case 'file':
        case 'audio':
        case 'unknown':
          return sum
      }
    },
    maxFileTokens(files + unknown, isGemini),
  )
}

export const attachmentBytes = (media: readonly Attachment[]): number =>
  media.reduce((sum, { source }) => sum + source.length, 0)

/** Part types whose content is fully in the body, as clients of all providers send them. */
const TEXT_PARTS = new Set([
  '',
  'text',
  'input_text',
  'output_text',
  'summary_text',
  'refusal',
  'thinking',
  'redacted_thinking',
  'reasoning',
  'reference',
  'tool_use',
  'tool_result',
  'tool_reference',
  'guard_content',
])

/** Parts of unknown types may be as long as a file. All of them together count as one file. */
function readAttachment(part: unknown): Attachment[] {
  if (!isRecord(part)) return []
  const type = textOf(part['type'])
  if (TEXT_PARTS.has(type)) return []
  switch (type) {
    case 'image':
      return [imageOf(part['image'], part['detail'])]
    case 'image_url':
    case 'input_image':
      return [imageOf(part['image_url'], part['detail'])]
    case 'input_audio':
      return [audioOf(textOf(member(part['input_audio'], 'data')))]
    case 'audio_url':
      return [audioOf(textOf(member(part['audio_url'], 'url')))]
    case 'file':
    case 'input_file':
    case 'video_url':
    case 'document_url':
      return [{ kind: 'file', source: textOf(member(part['file'], 'file_data')), detail: '' }]
    default:
      return [UNKNOWN]
  }
}

/** Some providers accept the URL of a recording. */
const audioOf = (source: string): Attachment => ({
  kind: ADDRESS.test(source) ? 'file' : 'audio',
  source,
  detail: '',
})

const ADDRESS = /^(?!data:)[a-z][a-z\d+.-]*:/i

/** The URL is usually inside an object; Mistral accepts a plain string. */
function imageOf(image: unknown, detail: unknown): Attachment {
  if (typeof image === 'string') return { kind: 'image', source: image, detail: textOf(detail) }
  return {
    kind: 'image',
    source: textOf(member(image, 'url')),
    detail: textOf(member(image, 'detail')),
  }
}
