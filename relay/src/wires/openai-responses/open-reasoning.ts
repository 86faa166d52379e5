import type { JsonRecord } from '../../bytes/json-value.ts'
import type { ContentCipher } from '../../form/content-cipher.ts'
import { isFlat } from '../../form/nested-json.ts'
import { encryptEntries } from './encrypted-content.ts'
import type { ItemPlace, OpenItem, OutputEvent } from './open-item.ts'

/** A reasoning item: the reasoning as its summary, and the provider's signed entries, encrypted. */
export class OpenReasoning implements OpenItem {
  readonly place: ItemPlace
  readonly #cipher: ContentCipher
  readonly #signedEntries: JsonRecord[] = []
  #text = ''

  constructor(place: ItemPlace, cipher: ContentCipher) {
    this.place = place
    this.#cipher = cipher
  }

  text(delta: string): OutputEvent[] {
    const startEvents = this.#text === '' ? [this.#part('added')] : []
    this.#text += delta
    return [...startEvents, this.#event('reasoning_summary_text.delta', { delta })]
  }

  /** Ignores entries nested too deep to be written; providers sign none of those. */
  addSigned(entry: JsonRecord): void {
    if (isFlat(entry)) this.#signedEntries.push(entry)
  }

  close(): OutputEvent[] {
    if (this.#text === '') return []
    const done = this.#event('reasoning_summary_text.done', { text: this.#text })
    return [done, this.#part('done')]
  }

  item(): JsonRecord {
    const entries = this.#signedEntries
    return {
      id: this.place.id,
      type: 'reasoning',
      summary: this.#text === '' ? [] : [this.#summary()],
      ...(entries.length === 0 ? {} : { encrypted_content: encryptEntries(entries, this.#cipher) }),
    }
  }

  #summary() {
    return { type: 'summary_text', text: this.#text }
  }

  #part(what: 'added' | 'done'): OutputEvent {
    return this.#event(`reasoning_summary_part.${what}`, { part: this.#summary() })
  }

  #event(type: string, rest: JsonRecord): OutputEvent {
    const { id: item_id, output_index } = this.place
    return { type: `response.${type}`, item_id, output_index, summary_index: 0, ...rest }
  }
}
