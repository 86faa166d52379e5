import { readDataUrl } from '../../codec/data-url.ts'
import { UnsupportedParameterError } from '../../codec/provider-codec.ts'
import { isRecord, member, type JsonRecord, textOf } from '../../json-value.ts'

const IMAGE_TYPES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])

/**
 * Cache breakpoint of a part, a message or a tool. Its lifetime is always five minutes, whatever
 * the request asks for: an hour costs more to write, and cache writes have one price here.
 */
export function cacheMark(source: unknown): JsonRecord {
  const mark = member(source, 'cache_control')
  return member(mark, 'type') === 'ephemeral' ? { cache_control: { type: 'ephemeral' } } : {}
}

/** The content blocks of a message. Empty texts are left out, because Anthropic rejects them. */
export function contentBlocks(content: unknown, path: string): JsonRecord[] {
  if (content === undefined || content === null) return []
  if (typeof content === 'string') return textBlocks(content)
  if (!Array.isArray(content)) {
    throw new UnsupportedParameterError(`'${path}' must be a text or an array of parts.`, path)
  }
  return content.flatMap((part, index) => partBlocks(part, `${path}.${index}`))
}

export function textBlocks(text: string, mark: JsonRecord = {}): JsonRecord[] {
  return text.trim() === '' ? [] : [{ type: 'text', text, ...mark }]
}

function partBlocks(part: unknown, path: string): JsonRecord[] {
  const mark = cacheMark(part)
  if (typeof part === 'string') return textBlocks(part)
  switch (member(part, 'type')) {
    case 'text':
      return textBlocks(textOf(member(part, 'text')), mark)
    case 'refusal':
      return textBlocks(textOf(member(part, 'refusal')), mark)
    case 'image_url':
      return [{ type: 'image', source: imageSource(part, path), ...mark }]
    case 'file':
      return [{ ...documentBlock(member(part, 'file'), path), ...mark }]
    default:
      throw new UnsupportedParameterError(
        `'${path}' is a part that Anthropic does not take: it takes text, image_url and file.`,
        path,
      )
  }
}

function imageSource(part: unknown, path: string): JsonRecord {
  const image = member(part, 'image_url')
  const url = textOf(isRecord(image) ? image['url'] : image)
  if (/^https?:\/\//i.test(url)) return { type: 'url', url }
  const inline = readDataUrl(url)
  if (inline === null || !IMAGE_TYPES.has(inline.mediaType)) {
    throw new UnsupportedParameterError(
      `'${path}.image_url' must be an http address, or a base64 data URL of a JPEG, PNG, GIF or WebP.`,
      `${path}.image_url`,
    )
  }
  return { type: 'base64', media_type: inline.mediaType, data: inline.data }
}

function documentBlock(file: unknown, path: string): JsonRecord {
  const inline = readDataUrl(textOf(member(file, 'file_data')))
  const name = textOf(member(file, 'filename'))
  const title = name === '' ? {} : { title: name }
  if (inline?.mediaType === 'application/pdf') {
    const { mediaType, data } = inline
    return { type: 'document', source: { type: 'base64', media_type: mediaType, data }, ...title }
  }
  if (inline?.mediaType.startsWith('text/')) {
    const data = Buffer.from(inline.data, 'base64').toString('utf8')
    return { type: 'document', source: { type: 'text', media_type: 'text/plain', data }, ...title }
  }
  throw new UnsupportedParameterError(
    `'${path}.file' must have the file itself: a base64 data URL of a PDF or a text in 'file_data'.`,
    `${path}.file`,
  )
}
