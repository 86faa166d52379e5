import { type JsonRecord, textOf } from '../json-value.ts'
import { parseUsage, sumOf, type Usage } from '../usage.ts'
import { watchEvents } from './task-watch.ts'

/** The type of the event with which an image of a stream is there. */
const LAST_EVENTS = ['image_generation.completed', 'image_edit.completed']
/** Of one that shows how far an image has come. */
const PARTIAL_EVENTS = ['image_generation.partial_image', 'image_edit.partial_image']

/** How many images are asked for, and how many partial ones of each. */
type AskedImages = { readonly n: number; readonly partialImages: number }

export const watchImages =
  ({ n, partialImages }: AskedImages) =>
  (contentType: string) =>
    watchEvents(contentType, {
      last: LAST_EVENTS,
      readUsage: parseUsage,
      pieces: { count: n, partTypes: PARTIAL_EVENTS, partsOfEach: partialImages, hasContent },
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

/** Of the events that a watch has kept. No event says of which image it is: one that came is taken to have had all its partial ones. */
export function madeIn(events: readonly JsonRecord[], { n, partialImages }: AskedImages): Made {
  const whole = events.filter(({ type }) => LAST_EVENTS.includes(textOf(type))).slice(0, n)
  const ofType = events.map(({ type }) => textOf(type))
  let [partials, open] = [0, 0]
  for (const type of ofType) {
    if (LAST_EVENTS.includes(type)) open = Math.max(0, open - partialImages)
    else if (PARTIAL_EVENTS.includes(type) && partials < n * partialImages) {
      partials += 1
      open += 1
    }
  }
  const images = whole.length
  const partialsOfOpen = Math.min(open, (n - images) * partialImages)
  return { images, partials, partialsOfOpen, told: sumTold(whole) }
}

function sumTold(whole: readonly JsonRecord[]): Usage | null {
  const all = whole.map(({ usage }) => parseUsage(usage)).filter((usage) => usage !== null)
  const [first, ...others] = all
  return first === undefined || all.length < whole.length ? null : others.reduce(sumOf, first)
}
