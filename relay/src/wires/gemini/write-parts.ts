import type { JsonRecord } from '../../bytes/json-value.ts'
import { parameterError } from '../../form/codec-errors.ts'
import type {
  AssistantBlock,
  AudioBlock,
  Block,
  FileBlock,
  ImageBlock,
  OpaqueBlock,
} from '../../form/request.ts'
import { imageAddress, readDataUrl, typeAt } from '../../media/data-url.ts'

/** OpenAI's formats, and others that Gemini accepts by the same name. */
const AUDIO_FORMATS = new Set(['wav', 'mp3', 'aiff', 'aac', 'ogg', 'flac'])

/** Empty texts are left out. */
export const contentParts = (blocks: readonly Block[], path: string): JsonRecord[] =>
  blocks.flatMap((block, index) => contentPart(block, `${path}.${index}`))

export const textParts = (text: string): JsonRecord[] => (text === '' ? [] : [{ text }])

export function contentPart(block: Block, path: string): JsonRecord[] {
  switch (block.type) {
    case 'text':
      return textParts(block.text)
    case 'image':
      return [imagePart(block) ?? refuseImage(`${path}.image_url`)]
    case 'audio':
      return [audioPart(block, `${path}.input_audio`)]
    case 'file':
      return [filePart(block) ?? refuseFile(`${path}.file`)]
    case 'opaque':
      return [videoPart(block) ?? refuseOpaque(path)]
  }
}

function refuseOpaque(path: string): never {
  throw parameterError(
    `'${path}' is a part that Gemini does not take: ` +
      `it takes text, image_url, input_audio, video_url and file.`,
    path,
  )
}

export function isContent(block: AssistantBlock): boolean {
  switch (block.type) {
    case 'image':
      return imagePart(block) !== null
    case 'audio':
      return AUDIO_FORMATS.has(block.format)
    case 'file':
      return filePart(block) !== null
    case 'opaque':
      return videoPart(block) !== null
    default:
      return false
  }
}

/** Image URLs have been fetched before, if that is allowed. */
function imagePart({ url }: ImageBlock): JsonRecord | null {
  const inline = readDataUrl(url)
  if (inline === null || !inline.mediaType.startsWith('image/')) return null
  return { inlineData: { mimeType: inline.mediaType, data: inline.data } }
}

function refuseImage(path: string): never {
  throw parameterError(`'${path}' must be a base64 data URL of an image.`, path)
}

function audioPart({ data, format }: AudioBlock, path: string): JsonRecord {
  if (!AUDIO_FORMATS.has(format)) {
    const place = `${path}.format`
    throw parameterError(`'${place}' must be one of ${[...AUDIO_FORMATS].join(', ')}.`, place)
  }
  return { inlineData: { mimeType: `audio/${format}`, data } }
}

const videoPart = ({ part }: OpaqueBlock): JsonRecord | null =>
  filePart({ type: 'file', data: imageAddress(part['video_url']) }, 'video/mp4')

/** Google fetches a file at a public address itself (vercel/ai#16751). */
function filePart(
  { data: url = '', id: fileUri = '' }: FileBlock,
  unknown?: string,
): JsonRecord | null {
  const inline = readDataUrl(url)
  if (inline !== null) return { inlineData: { mimeType: inline.mediaType, data: inline.data } }
  if (url.startsWith('https://')) {
    const mimeType = typeAt(url, unknown)
    return { fileData: { ...(mimeType !== null && { mimeType }), fileUri: url } }
  }
  return /^(?:https|gs):\/\//.test(fileUri) ? { fileData: { fileUri } } : null
}

function refuseFile(path: string): never {
  throw parameterError(
    `'${path}' must have the file as a base64 data URL or an https address in 'file_data', ` +
      `or its URI at Google in 'file_id'.`,
    path,
  )
}
