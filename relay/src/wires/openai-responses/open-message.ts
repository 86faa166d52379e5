import type { JsonRecord } from '../../bytes/json-value.ts'
import type { ItemPlace, ItemStatus, OpenItem, OutputEvent } from './open-item.ts'

type Part = { readonly type: 'output_text' | 'refusal'; text: string; logprobs: unknown[] }

export class OpenMessage implements OpenItem {
  readonly place: ItemPlace
  readonly #parts: Part[] = []

  constructor(place: ItemPlace) {
    this.place = place
  }

  text(delta: string, logprobs: readonly unknown[]): OutputEvent[] {
    const [events, part] = this.#enter('output_text')
    part.text += delta
    for (const token of logprobs) part.logprobs.push(token)
    return [...events, this.#event('output_text.delta', { delta, logprobs })]
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
    const part: Part = { type, text: '', logprobs: [] }
    this.#parts.push(part)
    return [[...closed, this.#event('content_part.added', { part: partOf(part) })], part]
  }

  #event(type: string, rest: JsonRecord): OutputEvent {
    const { id: item_id, output_index } = this.place
    const content_index = this.#parts.length - 1
    return { type: `response.${type}`, item_id, output_index, content_index, ...rest }
  }
}

function partOf({ type, text, logprobs }: Part): JsonRecord {
  if (type === 'refusal') return { type, refusal: text }
  return { type, text, annotations: [], ...(logprobs.length === 0 ? {} : { logprobs }) }
}
