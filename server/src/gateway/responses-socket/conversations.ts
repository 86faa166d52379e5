import { isRecord } from '@tollgate/relay'

/** A response that the next one may continue: its input and output, as the JSON of their items. */
type Kept = { readonly id: string; readonly items: string }

/** No user keeps more than this part of what all may keep. */
const USER_PART = 4

/** Bytes that all connections of this process keep. */
export class KeptBytes {
  readonly #max: number
  #bytes = 0
  readonly #bytesOf = new Map<number, number>()

  constructor(max: number) {
    this.#max = max
  }

  take(user: number, bytes: number): boolean {
    const ofUser = (this.#bytesOf.get(user) ?? 0) + bytes
    if (this.#bytes + bytes > this.#max || ofUser > this.#max / USER_PART) return false
    this.#bytes += bytes
    this.#bytesOf.set(user, ofUser)
    return true
  }

  release(user: number, bytes: number) {
    const ofUser = (this.#bytesOf.get(user) ?? 0) - bytes
    this.#bytes -= bytes
    if (ofUser > 0) this.#bytesOf.set(user, ofUser)
    else this.#bytesOf.delete(user)
  }
}

/** Lanes of a connection whose last response is kept. */
export const LANES_KEPT_MAX = 64

/** The last response of the latest lanes of a connection, also of those that are not stored. */
export class Conversations {
  readonly #kept: KeptBytes
  readonly #user: number
  /** In the order of their last responses. */
  readonly #byLane = new Map<string, Kept & { readonly bytes: number }>()

  constructor(kept: KeptBytes, user: number) {
    this.#kept = kept
    this.#user = user
  }

  /** A lane may also continue the response of another. */
  find(id: unknown): Kept | undefined {
    return [...this.#byLane.values()].find((kept) => kept.id === id)
  }

  /** Where memory is short nothing is kept: the client then sends its whole input again. */
  keep(lane: string, kept: Kept) {
    this.drop(lane)
    const [oldest = ''] = this.#byLane.keys()
    if (this.#byLane.size >= LANES_KEPT_MAX) this.drop(oldest)
    const bytes = bytesOf(kept.items)
    if (this.#kept.take(this.#user, bytes)) this.#byLane.set(lane, { ...kept, bytes })
  }

  drop(lane: string) {
    const kept = this.#byLane.get(lane)
    if (kept === undefined) return
    this.#byLane.delete(lane)
    this.#kept.release(this.#user, kept.bytes)
  }

  clear() {
    for (const lane of this.#byLane.keys()) this.drop(lane)
  }
}

/** V8 stores a text with any character beyond Latin-1 as two bytes for each of its units. */
const bytesOf = (text: string): number =>
  Buffer.byteLength(text) === text.length ? text.length : 2 * text.length

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

export const joinItems = (...lists: readonly string[]): string =>
  lists.filter((list) => list !== '').join(',')

/** No vendor takes reasoning back without its content. */
export const isReplayable = (item: unknown): boolean =>
  isRecord(item) &&
  (item['type'] !== 'reasoning' ||
    typeof item['encrypted_content'] === 'string' ||
    listOf(item['content']).length > 0)
