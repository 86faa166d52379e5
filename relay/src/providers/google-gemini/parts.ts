import { readDataUrl } from '../../codec/data-url.ts'
import { UnsupportedParameterError } from '../../codec/provider-codec.ts'
import { isRecord, member, type JsonRecord, textOf } from '../../json-value.ts'

/** OpenAI's formats, and others that Gemini accepts by the same name. */
const AUDIO_FORMATS = new Set(['wav', 'mp3', 'aiff', 'aac', 'ogg', 'flac'])

/** Empty texts are left out. */
export function contentParts(content: unknown, path: string): JsonRecord[] {
  if (content === undefined || content === null) return []
  if (typeof content === 'string') return textParts(content)
  if (!Array.isArray(content)) {
    throw new UnsupportedParameterError(`'${path}' must be a text or an array of parts.`, path)
  }
  return content.flatMap((part, index) => partsOf(part, `${path}.${index}`))
}

export const textParts = (text: string): JsonRecord[] => (text === '' ? [] : [{ text }])

function partsOf(part: unknown, path: string): JsonRecord[] {
  if (typeof part === 'string') return textParts(part)
  switch (member(part, 'type')) {
    case 'text':
      return textParts(textOf(member(part, 'text')))
    case 'refusal':
      return textParts(textOf(member(part, 'refusal')))
    case 'image_url':
      return [imagePart(part, `${path}.image_url`)]
    case 'input_audio':
      return [audioPart(member(part, 'input_audio'), `${path}.input_audio`)]
    case 'file':
      return [filePart(member(part, 'file'), `${path}.file`)]
    default:
      throw new UnsupportedParameterError(
        `'${path}' is a part that Gemini does not take: it takes text, image_url, input_audio and file.`,
        path,
      )
  }
}

/** Image URLs have been fetched before, if that is allowed. */
export function imagePart(part: unknown, path: string): JsonRecord {
  const image = member(part, 'image_url')
  const inline = readDataUrl(textOf(isRecord(image) ? image['url'] : image))
  if (inline === null || !inline.mediaType.startsWith('image/')) {
    throw new UnsupportedParameterError(`'${path}' must be a base64 data URL of an image.`, path)
  }
  return { inlineData: { mimeType: inline.mediaType, data: inline.data } }
}

function audioPart(audio: unknown, path: string): JsonRecord {
  const format = textOf(member(audio, 'format'))
  if (!AUDIO_FORMATS.has(format)) {
    const path_ = `${path}.format`
    throw new UnsupportedParameterError(
      `'${path_}' must be one of ${[...AUDIO_FORMATS].join(', ')}.`,
      path_,
    )
  }
  return { inlineData: { mimeType: `audio/${format}`, data: textOf(member(audio, 'data')) } }
}

function filePart(file: unknown, path: string): JsonRecord {
  const inline = readDataUrl(textOf(member(file, 'file_data')))
  if (inline !== null) return { inlineData: { mimeType: inline.mediaType, data: inline.data } }
  const fileUri = textOf(member(file, 'file_id'))
  if (/^(?:https|gs):\/\//.test(fileUri)) return { fileData: { fileUri } }
  throw new UnsupportedParameterError(
    `'${path}' must have the file as a base64 data URL in 'file_data', or its URI at Google in 'file_id'.`,
    path,
  )
}
