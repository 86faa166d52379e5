import { type JsonRecord, textOf } from '../json-value.ts'
import { parseUsage, sumOf, type Usage } from '../usage.ts'
import { openParts, watchEvents } from './task-observer.ts'

/** The type of the event with which an image of a stream is there. */
const LAST_EVENTS = ['image_generation.completed', 'image_edit.completed']
/** Of one that shows how far an image has come. */
const PARTIAL_EVENTS = ['image_generation.partial_image', 'image_edit.partial_image']

/** How many images are asked for, and how many partial ones of each. */
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

/** An event without a picture has delivered nothing. */
const hasContent = ({ b64_json, url }: JsonRecord) => textOf(b64_json) !== '' || textOf(url) !== ''

/** What came of the images that were asked for. */
export type Made = {
  readonly images: number
  readonly partials: number
  /** How many partial ones came of images that did not. */
  readonly partialsOfOpen: number
  /** What the images that came have told of themselves; null where there is none, or one tells nothing. */
  readonly told: Usage | null
}

/** Of the events that a watch has kept. */
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
