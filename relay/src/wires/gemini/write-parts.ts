import type { JsonRecord } from '../../bytes/json-value.ts'
import { UnsupportedParameterError } from '../../form/codec-errors.ts'
import type { AudioBlock, Block, FileBlock, ImageBlock } from '../../form/request.ts'
import { readDataUrl } from '../../media/data-url.ts'

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
      return [imagePart(block, `${path}.image_url`)]
    case 'audio':
      return [audioPart(block, `${path}.input_audio`)]
    case 'file':
      return [filePart(block, `${path}.file`)]
    case 'opaque':
      throw new UnsupportedParameterError(
        `'${path}' is a part that Gemini does not take: it takes text, image_url, input_audio and file.`,
        path,
      )
  }
}

/** Image URLs have been fetched before, if that is allowed. */
function imagePart({ url }: ImageBlock, path: string): JsonRecord {
  const inline = readDataUrl(url)
  if (inline === null || !inline.mediaType.startsWith('image/')) {
    throw new UnsupportedParameterError(`'${path}' must be a base64 data URL of an image.`, path)
  }
  return { inlineData: { mimeType: inline.mediaType, data: inline.data } }
}

function audioPart({ data, format }: AudioBlock, path: string): JsonRecord {
  if (!AUDIO_FORMATS.has(format)) {
    const place = `${path}.format`
    throw new UnsupportedParameterError(
      `'${place}' must be one of ${[...AUDIO_FORMATS].join(', ')}.`,
      place,
    )
  }
  return { inlineData: { mimeType: `audio/${format}`, data } }
}

function filePart({ data: url = '', id: fileUri = '' }: FileBlock, path: string): JsonRecord {
  const inline = readDataUrl(url)
  if (inline !== null) return { inlineData: { mimeType: inline.mediaType, data: inline.data } }
  if (/^(?:https|gs):\/\//.test(fileUri)) return { fileData: { fileUri } }
  throw new UnsupportedParameterError(
    `'${path}' must have the file as a base64 data URL in 'file_data', or its URI at Google in 'file_id'.`,
    path,
  )
}
