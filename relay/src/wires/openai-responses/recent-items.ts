import { isRecord, type JsonRecord, listOf, parseJson, textOf } from '../../bytes/json-value.ts'
import type { StoredEntry } from '../client-dialect.ts'

const BYTES_MAX = 64 * 1024 * 1024
const ENTRY_BYTES_MAX = 2 * 1024 * 1024
/** A client that sends its whole history with each request does not continue its responses. */
const UNASKED_BYTES_MAX = 64 * 1024
const LIFE_MS = 60 * 60 * 1000

/** Clients send these items themselves, and refer to all others by id. */
const SENT_TYPE = 'function_call'

/** A response that later requests may continue. */
export type StoredResponse = {
  readonly id: string
  /** Ids of the responses before this one, oldest first. */
  readonly chain: readonly string[]
  /** Input and output of this response: the JSON of their items, separated by commas. */
  readonly items: Buffer
}

export type KeptResponse = StoredResponse & {
  /** The client asked for `store`. Otherwise a long response is not kept. */
  readonly isAsked: boolean
}

/** The items and responses of one user. */
export type OwnItems = {
  /** Null for an item that is not or no longer kept. */
  readonly find: (id: string) => JsonRecord | null
  /** The size of an item as JSON; 0 for an item that is not kept. */
  readonly bytesOf: (id: string) => number
  readonly keep: (items: readonly JsonRecord[]) => void
  readonly findResponse: (id: string) => StoredResponse | null
  /** False for a response that is too long. */
  readonly keepResponse: (response: KeptResponse) => boolean
}

type Kept = { readonly content: Buffer; readonly expiresAt: number }

type Options = {
  readonly bytesMax?: number
  /** Stores entries where other processes find them. */
  readonly store?: (owner: number, entries: readonly StoredEntry[]) => void
}

/** What the key, the buffer and the map entry of an item take. */
const OVERHEAD_BYTES = 300
const LINE_FEED = 0x0a

/** Room for the ids of a thousand responses. */
const CHAIN_BYTES_MAX = 80 * 1024

/** `bytes` is the size of the response's items. */
export const isResponseKept = (bytes: number, isAsked: boolean): boolean =>
  bytes <= (isAsked ? ENTRY_BYTES_MAX - CHAIN_BYTES_MAX : UNASKED_BYTES_MAX)

const itemName = (id: string) => `item ${id}`
const responseName = (id: string) => `response ${id}`

/**
 * Output items and responses of the last hour, in the memory of this process. Clients of the
 * Responses API assume that responses are stored: the AI SDK sends only references to earlier items
 * unless its option `store` is false.
 */
export class RecentItems {
  readonly now: () => number
  readonly #bytesMax: number
  readonly #store: NonNullable<Options['store']>
  /** Oldest first. */
  readonly #entries = new Map<string, Kept>()
  #bytes = 0

  constructor(now: () => number, { bytesMax = BYTES_MAX, store = () => {} }: Options = {}) {
    this.now = now
    this.#bytesMax = bytesMax
    this.#store = store
  }

  /**
   * Names of entries that are looked for and not in memory are added to `missing`. `loaded` are
   * entries that were read for this request: others may evict them from the memory meanwhile.
   */
  of(
    owner: number,
    missing: Set<string> = new Set(),
    loaded: ReadonlyMap<string, Buffer> = new Map(),
  ): OwnItems {
    const contentOf = (name: string): Buffer | null => {
      const content = loaded.get(name) ?? this.#find(`${owner} ${name}`)
      if (content === null) missing.add(name)
      return content
    }
    const keep = (entries: readonly StoredEntry[]) => {
      const kept = entries.filter(({ content }) => content.length <= ENTRY_BYTES_MAX)
      this.receive(owner, kept)
      if (kept.length > 0) this.#store(owner, kept)
    }
    return {
      find: (id) => {
        const item = parseJson(contentOf(itemName(id))?.toString() ?? '')
        return isRecord(item) ? item : null
      },
      bytesOf: (id) => contentOf(itemName(id))?.length ?? 0,
      keep: (items) => keep(items.filter(isReferredTo).map(itemEntry)),
      findResponse: (id) => readResponse(id, contentOf(responseName(id))),
      keepResponse: ({ isAsked, ...response }) => {
        const isKept = isResponseKept(response.items.length, isAsked)
        if (isKept) keep([responseEntry(response)])
        return isKept
      },
    }
  }

  /** Keeps entries that were read where they are stored. */
  receive(owner: number, entries: readonly StoredEntry[]): void {
    for (const { name, content } of entries) this.#keep(`${owner} ${name}`, content)
    this.#evict()
  }

  #find(key: string): Buffer | null {
    const kept = this.#entries.get(key)
    return kept === undefined || kept.expiresAt <= this.now() ? null : kept.content
  }

  #keep(key: string, content: Buffer): void {
    this.#delete(key)
    this.#entries.set(key, { content, expiresAt: this.now() + LIFE_MS })
    this.#bytes += content.length + OVERHEAD_BYTES
  }

  #evict(): void {
    for (const [key, { expiresAt }] of this.#entries) {
      if (this.#bytes <= this.#bytesMax && expiresAt > this.now()) return
      this.#delete(key)
    }
  }

  #delete(key: string): void {
    const kept = this.#entries.get(key)
    if (kept === undefined) return
    this.#bytes -= kept.content.length + OVERHEAD_BYTES
    this.#entries.delete(key)
  }
}

const isReferredTo = ({ id, type }: JsonRecord) => type !== SENT_TYPE && textOf(id) !== ''

const itemEntry = (item: JsonRecord): StoredEntry => ({
  name: itemName(textOf(item['id'])),
  content: Buffer.from(JSON.stringify(item)),
})

/** The first line is the chain, the rest the items, which may contain line feeds. */
const responseEntry = ({ id, chain, items }: StoredResponse): StoredEntry => ({
  name: responseName(id),
  content: Buffer.concat([Buffer.from(`${JSON.stringify(chain)}\n`), items]),
})

function readResponse(id: string, content: Buffer | null): StoredResponse | null {
  const end = content?.indexOf(LINE_FEED) ?? -1
  if (content === null || end === -1) return null
  const chain = listOf(parseJson(content.toString('utf8', 0, end))).map(textOf)
  return { id, chain, items: content.subarray(end + 1) }
}
