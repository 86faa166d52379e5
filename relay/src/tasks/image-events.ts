import { type JsonRecord, textOf } from '../json-value.ts'
import { parseUsage, sumOf, type Usage } from '../usage.ts'
import { openParts, watchEvents } from './task-observer.ts'

/** Types of the events that deliver a finished image. */
const LAST_EVENTS = ['image_generation.completed', 'image_edit.completed']
const PARTIAL_EVENTS = ['image_generation.partial_image', 'image_edit.partial_image']

/** `partialImages` is per image. */
type AskedImages = { readonly n: number; readonly partialImages: number }

const piecesOf = ({ n, partialImages }: AskedImages) => ({
  count: n,
  partTypes: PARTIAL_EVENTS,
  partsOfEach: partialImages,
})

export const watchImages = (asked: AskedImages) => (contentType: string) =>
  watchEvents(contentType, {
    last: LAST_EVENTS,
    readUsage: parseUsage,
    pieces: { ...piecesOf(asked), hasContent },
  })

/** An event without an image delivers nothing. */
const hasContent = ({ b64_json, url }: JsonRecord) => textOf(b64_json) !== '' || textOf(url) !== ''

/** What was delivered of the requested images. */
export type Made = {
  readonly images: number
  readonly partials: number
  /** Partial images of images that were never finished. */
  readonly partialsOfOpen: number
  /**
   * Usage that the finished images reported; null if none is finished or if any reported no usage.
   */
  readonly told: Usage | null
}

/** Reads the events kept by a `TaskWatch`. */
export function madeIn(events: readonly JsonRecord[], asked: AskedImages): Made {
  const { n, partialImages } = asked
  const whole = events.filter(({ type }) => LAST_EVENTS.includes(textOf(type))).slice(0, n)
  const partials = events.filter(({ type }) => PARTIAL_EVENTS.includes(textOf(type))).length
  return {
    images: whole.length,
    partials: Math.min(n * partialImages, partials),
    partialsOfOpen: openParts(events, LAST_EVENTS, piecesOf(asked)),
    told: sumTold(whole),
  }
}

function sumTold(whole: readonly JsonRecord[]): Usage | null {
  const all = whole.map(({ usage }) => parseUsage(usage)).filter((usage) => usage !== null)
  const [first, ...others] = all
  return first === undefined || all.length < whole.length ? null : others.reduce(sumOf, first)
}
