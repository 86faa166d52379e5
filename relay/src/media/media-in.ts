import { isRecord, type JsonRecord, member, textOf } from '../bytes/json-value.ts'

/** An image, a recording or a file in a request of any dialect. */
export type MediaPart = { readonly kind: 'image' | 'audio' | 'file'; readonly data: string }

/** `scanMembers` has limited the nesting, so recursion is safe. */
export function mediaIn(value: unknown, media: MediaPart[] = []): MediaPart[] {
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') mediaIn(item, media)
  } else if (isRecord(value)) {
    const own = mediumOf(value)
    if (own !== null) media.push(own)
    // `Object.values` would be slower: long conversations have thousands of objects.
    else for (const name in value) if (typeof value[name] === 'object') mediaIn(value[name], media)
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
