import type { JsonRecord } from '../../bytes/json-value.ts'
import { parameterError } from '../../form/codec-errors.ts'
import type { AssistantBlock, CacheMark, FileBlock, ImageBlock } from '../../form/request.ts'
import { type InlineData, isAddress, PDF, readDataUrl, typeAt } from '../../media/data-url.ts'

const IMAGE_TYPES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])

/**
 * Cache breakpoint of a block, a tool or a request. Its lifetime is always five minutes, whatever
 * the request asks for: an hour costs more to write, and cache writes have one price here.
 */
export const cacheMember = (mark: CacheMark | undefined): JsonRecord =>
  mark === undefined ? {} : { cache_control: { type: 'ephemeral' } }

/** The content blocks of a message. Empty texts are left out, because Anthropic rejects them. */
export const contentBlocks = (blocks: readonly AssistantBlock[], path: string): JsonRecord[] =>
  blocks.flatMap((block, index) => contentBlock(block, `${path}.${index}`))

export function textContent(text: string, mark: JsonRecord = {}): JsonRecord[] {
  return text.trim() === '' ? [] : [{ type: 'text', text, ...mark }]
}

export function contentBlock(block: AssistantBlock, path: string): JsonRecord[] {
  switch (block.type) {
    case 'text':
      return textContent(block.text, cacheMember(block.cacheMark))
    case 'image': {
      const source = imageSource(block)
      if (source !== null) return [{ type: 'image', source, ...cacheMember(block.cacheMark) }]
      const place = `${path}.image_url`
      throw parameterError(
        `'${place}' must be an http address, or a base64 data URL of a JPEG, PNG, GIF or WebP.`,
        place,
      )
    }
    case 'file': {
      const document = documentBlock(block)
      if (document !== null) return [{ ...document, ...cacheMember(block.cacheMark) }]
      const place = `${path}.file`
      throw parameterError(
        `'${place}' must have the file itself: a base64 data URL of a PDF or a text ` +
          `in 'file_data', or the address of a PDF.`,
        place,
      )
    }
    default:
      throw parameterError(
        `'${path}' is a part that Anthropic does not take: it takes text, image_url and file.`,
        path,
      )
  }
}

export function isContent(block: AssistantBlock): boolean {
  if (block.type === 'image') return imageSource(block) !== null
  return block.type === 'file' && documentBlock(block) !== null
}

function imageSource({ url }: ImageBlock): JsonRecord | null {
  if (isAddress(url)) return { type: 'url', url }
  const inline = readDataUrl(url)
  return inline === null || !IMAGE_TYPES.has(inline.mediaType) ? null : inlineSource(inline)
}

/** The source of a block that has its data in the request. Claude takes texts decoded. */
export function inlineSource({ mediaType, data }: InlineData): JsonRecord {
  return mediaType.startsWith('text/')
    ? { type: 'text', media_type: 'text/plain', data: Buffer.from(data, 'base64').toString('utf8') }
    : { type: 'base64', media_type: mediaType, data }
}

function documentBlock({ name = '', data = '' }: FileBlock): JsonRecord | null {
  const source = documentSource(data)
  if (source === null) return null
  return {
    type: 'document',
    source,
    ...(name === '' ? {} : { title: name }),
  }
}

/** Claude reads only a PDF at an address. */
function documentSource(url: string): JsonRecord | null {
  if (isAddress(url)) return typeAt(url) === PDF ? { type: 'url', url } : null
  const inline = readDataUrl(url)
  const isRead =
    inline !== null && (inline.mediaType === PDF || inline.mediaType.startsWith('text/'))
  return isRead ? inlineSource(inline) : null
}
