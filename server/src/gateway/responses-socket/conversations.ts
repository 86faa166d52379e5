import { isRecord, type JsonRecord } from '@tollgate/relay'

/** A response that the next one may continue: its input and output, as the JSON of their items. */
type Kept = { readonly id: string; readonly items: string }

/** Bytes that all connections of this process keep. */
export class KeptBytes {
  readonly #max: number
  #bytes = 0

  constructor(max: number) {
    this.#max = max
  }

  take(bytes: number): boolean {
    if (this.#bytes + bytes > this.#max) return false
    this.#bytes += bytes
    return true
  }

  release(bytes: number) {
    this.#bytes -= bytes
  }
}

/** The last response of each lane of a connection, also of those that are not stored. */
export class Conversations {
  readonly #kept: KeptBytes
  readonly #byLane = new Map<string, Kept>()

  constructor(kept: KeptBytes) {
    this.#kept = kept
  }

  /** A lane may also continue the response of another. */
  find(id: unknown): Kept | undefined {
    return [...this.#byLane.values()].find((kept) => kept.id === id)
  }

  /** Where memory is short nothing is kept: the client then sends its whole input again. */
  keep(lane: string, kept: Kept) {
    this.drop(lane)
    if (this.#kept.take(kept.items.length)) this.#byLane.set(lane, kept)
  }

  drop(lane: string) {
    const kept = this.#byLane.get(lane)
    if (kept === undefined) return
    this.#byLane.delete(lane)
    this.#kept.release(kept.items.length)
  }

  clear() {
    for (const lane of this.#byLane.keys()) this.drop(lane)
  }
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** Items as JSON, without the brackets of their list. */
export const itemsOf = (input: unknown): string => {
  const items: unknown[] =
    typeof input === 'string' ? [{ role: 'user', content: input }] : listOf(input)
  return items.map((item) => JSON.stringify(item)).join(',')
}

export const joinItems = (...lists: readonly string[]): string =>
  lists.filter((list) => list !== '').join(',')

/** The request with all items of its conversation. */
export function bodyWith(request: JsonRecord, items: string): Buffer {
  const others = JSON.stringify({ ...request, stream: true, input: undefined })
  return Buffer.from(`${others.slice(0, -1)},"input":[${items}]}`)
}

/** No vendor takes reasoning back without its content. */
export const isReplayable = (item: unknown): boolean =>
  isRecord(item) &&
  (item['type'] !== 'reasoning' ||
    typeof item['encrypted_content'] === 'string' ||
    listOf(item['content']).length > 0)
