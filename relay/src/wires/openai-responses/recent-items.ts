import { isRecord, type JsonRecord, parseJson, textOf } from '../../bytes/json-value.ts'

const BYTES_MAX = 64 * 1024 * 1024
const ITEM_BYTES_MAX = 1024 * 1024
const LIFE_MS = 60 * 60 * 1000

/** Clients send these items themselves, and refer to all others by id. */
const SENT_TYPE = 'function_call'

/** The items of one user. */
export type OwnItems = {
  /** Null for an item that is not or no longer kept. */
  readonly find: (id: string) => JsonRecord | null
  /** The size of an item as JSON; 0 for an item that is not kept. */
  readonly bytesOf: (id: string) => number
  readonly keep: (items: readonly JsonRecord[]) => void
}

/** What the key, the buffer and the map entry of an item take. */
const OVERHEAD_BYTES = 300

type Kept = { readonly json: Buffer; readonly expiresAt: number }

/** Tells other processes, which keep the items as well. */
type Announce = (owner: number, items: readonly JsonRecord[]) => void

type Options = { readonly bytesMax?: number; readonly announce?: Announce }

/**
 * Output items of the last hour, in the memory of this process. Clients of the Responses API assume
 * that responses are stored: the AI SDK sends only references to earlier items unless its option
 * `store` is false.
 */
export class RecentItems {
  readonly now: () => number
  readonly #bytesMax: number
  readonly #announce: Announce
  /** Oldest first. */
  readonly #items = new Map<string, Kept>()
  #bytes = 0

  constructor(now: () => number, { bytesMax = BYTES_MAX, announce = () => {} }: Options = {}) {
    this.now = now
    this.#bytesMax = bytesMax
    this.#announce = announce
  }

  of(owner: number): OwnItems {
    const keyOf = (id: string) => `${owner} ${id}`
    return {
      find: (id) => this.#find(keyOf(id)),
      bytesOf: (id) => this.#items.get(keyOf(id))?.json.length ?? 0,
      keep: (items) => {
        const referred = items.filter(({ type }) => type !== SENT_TYPE)
        this.receive(owner, referred)
        if (referred.length > 0) this.#announce(owner, referred)
      },
    }
  }

  /** Keeps items that another process announced. */
  receive(owner: number, items: readonly JsonRecord[]): void {
    for (const item of items) this.#keep(`${owner} ${textOf(item['id'])}`, item)
    this.#evict()
  }

  #find(key: string): JsonRecord | null {
    const kept = this.#items.get(key)
    if (kept === undefined || kept.expiresAt <= this.now()) return null
    const item = parseJson(kept.json.toString())
    return isRecord(item) ? item : null
  }

  #keep(key: string, item: JsonRecord): void {
    const json = Buffer.from(JSON.stringify(item))
    if (json.length > ITEM_BYTES_MAX) return
    this.#delete(key)
    this.#items.set(key, { json, expiresAt: this.now() + LIFE_MS })
    this.#bytes += json.length + OVERHEAD_BYTES
  }

  #evict(): void {
    for (const [key, { expiresAt }] of this.#items) {
      if (this.#bytes <= this.#bytesMax && expiresAt > this.now()) return
      this.#delete(key)
    }
  }

  #delete(key: string): void {
    const kept = this.#items.get(key)
    if (kept === undefined) return
    this.#bytes -= kept.json.length + OVERHEAD_BYTES
    this.#items.delete(key)
  }
}
