import type { JsonRecord } from '../../bytes/json-value.ts'
import type { Citation } from '../../form/events.ts'
import { annotationOf } from '../annotations.ts'
import type { ItemPlace, ItemStatus, OpenItem, OutputEvent } from './open-item.ts'

type Part = {
  readonly type: 'output_text' | 'refusal'
  /** Where it begins in the text of the answer. */
  readonly start: number
  text: string
  readonly logprobs: unknown[]
  readonly annotations: JsonRecord[]
}

export class OpenMessage implements OpenItem {
  readonly place: ItemPlace
  readonly #start: number
  readonly #parts: Part[] = []
  /** What stands between the number and the text in the open part's events. */
  #textHead = ''

  /** `start`: where the message begins in the text of the answer. */
  constructor(place: ItemPlace, start: number) {
    this.place = place
    this.#start = start
  }

  get isText(): boolean {
    return this.#parts.at(-1)?.type === 'output_text'
  }

  get textEnd(): number {
    const part = this.#parts.at(-1)
    return part === undefined ? this.#start : part.start + (this.isText ? part.text.length : 0)
  }

  text(delta: string, logprobs: readonly unknown[]): OutputEvent[] {
    const [events, part] = this.#enter('output_text')
    part.text += delta
    for (const token of logprobs) part.logprobs.push(token)
    return [...events, this.#event('output_text.delta', { delta, logprobs })]
  }

  /** As `text`, but the event behind its number: almost all events add to the open part. */
  nextDelta(delta: string): string | null {
    const part = this.#parts.at(-1)
    if (part?.type !== 'output_text') return null
    part.text += delta
    return `${this.#textHead}${JSON.stringify(delta)},"logprobs":[]}\n\n`
  }

  /** Only while a text is open. */
  cite(citation: Citation): OutputEvent {
    const part = this.#parts.at(-1)
    const annotation = annotationOf(citation, part?.start ?? 0)
    const annotation_index = (part?.annotations.push(annotation) ?? 1) - 1
    return this.#event('output_text.annotation.added', { annotation_index, annotation })
  }

  refusal(delta: string): OutputEvent[] {
    const [events, part] = this.#enter('refusal')
    part.text += delta
    return [...events, this.#event('refusal.delta', { delta })]
  }

  close(): OutputEvent[] {
    const part = this.#parts.at(-1)
    if (part === undefined) return []
    const { type, text, logprobs } = part
    const done =
      type === 'refusal'
        ? this.#event('refusal.done', { refusal: text })
        : this.#event('output_text.done', { text, logprobs })
    return [done, this.#event('content_part.done', { part: partOf(part) })]
  }

  item(status: ItemStatus): JsonRecord {
    const content = this.#parts.map(partOf)
    return { id: this.place.id, type: 'message', status, role: 'assistant', content }
  }

  #enter(type: Part['type']): [OutputEvent[], Part] {
    const open = this.#parts.at(-1)
    if (open?.type === type) return [[], open]
    const closed = this.close()
    const part: Part = { type, start: this.textEnd, text: '', logprobs: [], annotations: [] }
    this.#parts.push(part)
    this.#textHead = `,${JSON.stringify(this.#place).slice(1, -1)},"delta":`
    return [[...closed, this.#event('content_part.added', { part: partOf(part) })], part]
  }

  #event(type: string, rest: JsonRecord): OutputEvent {
    return { type: `response.${type}`, ...this.#place, ...rest }
  }

  get #place(): JsonRecord {
    const { id: item_id, output_index } = this.place
    return { item_id, output_index, content_index: this.#parts.length - 1 }
  }
}

function partOf({ type, text, logprobs, annotations }: Part): JsonRecord {
  if (type === 'refusal') return { type, refusal: text }
  return {
    type,
    text,
    annotations: [...annotations],
    ...(logprobs.length === 0 ? {} : { logprobs }),
  }
}
