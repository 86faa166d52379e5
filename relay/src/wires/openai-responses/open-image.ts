import { type JsonRecord, member, textOf } from '../../bytes/json-value.ts'
import { readDataUrl } from '../../media/data-url.ts'
import type { ItemPlace, ItemStatus, OpenItem, OutputEvent } from './open-item.ts'

const IMAGE_TYPE = 'image/'

type InlineImage = { readonly format: string; readonly data: string }

/** An image that the model generated without a tool. Clients know only images of a tool. */
export class ImageItem implements OpenItem {
  readonly place: ItemPlace
  readonly #image: InlineImage

  constructor(place: ItemPlace, image: InlineImage) {
    this.place = place
    this.#image = image
  }

  close(): OutputEvent[] {
    const { id: item_id, output_index } = this.place
    return [{ type: 'response.image_generation_call.completed', item_id, output_index }]
  }

  item(status: ItemStatus): JsonRecord {
    const { format: output_format, data } = this.#image
    const result = status === 'in_progress' ? null : data
    return { id: this.place.id, type: 'image_generation_call', status, output_format, result }
  }
}

/** Null for a URL: the item can hold only data. */
export function readInlineImage(image: unknown): InlineImage | null {
  const inline = readDataUrl(textOf(member(member(image, 'image_url'), 'url')))
  if (inline === null || !inline.mediaType.startsWith(IMAGE_TYPE)) return null
  return { format: inline.mediaType.slice(IMAGE_TYPE.length), data: inline.data }
}
