import { type JsonRecord, textOf } from '../bytes/json-value.ts'
import { parseUsage, sumOf, type Usage } from '../usage/usage.ts'
import { openParts, observeEvents } from './task-observer.ts'

/** Types of the events that deliver a finished image. */
const FINAL_EVENTS = ['image_generation.completed', 'image_edit.completed']
const PARTIAL_EVENTS = ['image_generation.partial_image', 'image_edit.partial_image']

/** `partialImages` is per image. */
type RequestedImages = { readonly n: number; readonly partialImages: number }

const itemsOf = ({ n, partialImages }: RequestedImages) => ({
  count: n,
  partTypes: PARTIAL_EVENTS,
  partsPerItem: partialImages,
})

export const observeImages = (requested: RequestedImages) => (contentType: string) =>
  observeEvents(contentType, {
    finalTypes: FINAL_EVENTS,
    readUsage: parseUsage,
    items: { ...itemsOf(requested), hasContent },
  })

/** An event without an image delivers nothing. */
const hasContent = ({ b64_json, url }: JsonRecord) => textOf(b64_json) !== '' || textOf(url) !== ''

/** What was delivered of the requested images. */
export type DeliveredImages = {
  readonly images: number
  readonly partials: number
  /** Partial images of images that were never finished. */
  readonly unfinishedPartials: number
  /**
   * Usage that the finished images reported; null if none is finished or if any reported no usage.
   */
  readonly reportedUsage: Usage | null
}

/** Reads the events kept by a `TaskObserver`. */
export function deliveredImages(
  events: readonly JsonRecord[],
  requested: RequestedImages,
): DeliveredImages {
  const { n, partialImages } = requested
  const finished = events.filter(({ type }) => FINAL_EVENTS.includes(textOf(type))).slice(0, n)
  const partials = events.filter(({ type }) => PARTIAL_EVENTS.includes(textOf(type))).length
  return {
    images: finished.length,
    partials: Math.min(n * partialImages, partials),
    unfinishedPartials: openParts(events, FINAL_EVENTS, itemsOf(requested)),
    reportedUsage: sumReported(finished),
  }
}

function sumReported(finished: readonly JsonRecord[]): Usage | null {
  const all = finished.map(({ usage }) => parseUsage(usage)).filter((usage) => usage !== null)
  const [first, ...others] = all
  return first === undefined || all.length < finished.length ? null : others.reduce(sumOf, first)
}
