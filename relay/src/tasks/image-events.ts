import { type JsonRecord, textOf } from '../json-value.ts'
import { parseUsage } from '../usage.ts'
import { watchEvents } from './task-watch.ts'

/** The type of the event with which an image of a stream is there. */
const LAST_EVENTS = ['image_generation.completed', 'image_edit.completed']
/** Of one that shows how far an image has come. */
const PARTIAL_EVENTS = ['image_generation.partial_image', 'image_edit.partial_image']

export const watchImages = (pieces: number) => (contentType: string) =>
  watchEvents(contentType, { last: LAST_EVENTS, readUsage: parseUsage, pieces, isPart })

/** One without a picture has delivered nothing. */
const isPart = ({ type, b64_json }: JsonRecord) =>
  PARTIAL_EVENTS.includes(textOf(type)) && textOf(b64_json) !== ''

/** What came of the images that were asked for. */
export type Made = {
  readonly images: number
  readonly partials: number
  /** How many partial ones came of an image that did not. */
  readonly partialsOfOpen: number
}

/** Never more than was asked for, whatever was sent. Images come one after the other, as no event says of which it is. */
export function madeIn(
  events: readonly JsonRecord[],
  { n, partialImages }: { readonly n: number; readonly partialImages: number },
): Made {
  let images = 0
  let partials = 0
  let partialsOfOpen = 0
  for (const { type } of events) {
    if (LAST_EVENTS.includes(textOf(type))) {
      images += 1
      partialsOfOpen = 0
    } else if (PARTIAL_EVENTS.includes(textOf(type))) {
      partials += 1
      partialsOfOpen += 1
    }
  }
  return {
    images: Math.min(n, images),
    partials: Math.min(n * partialImages, partials),
    partialsOfOpen: images < n ? Math.min(partialImages, partialsOfOpen) : 0,
  }
}
