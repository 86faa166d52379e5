import type { Logger } from 'pino'
import { RecentItems, type StoredEntry } from '@tollgate/relay'
import { type Clock, within } from '../../clock.ts'
import type { Secrets } from '../../secrets.ts'
import type { Database } from '../../store/database.ts'
import type { StoredItemsTable } from '../../store/schema.ts'
import { findStoredItems, putStoredItems } from '../../store/stored-items.ts'
import { databaseUnavailable } from '../errors.ts'
import type { Client } from './client.ts'

/** How long the end of an answer waits until its items are stored. */
const WRITE_WAIT_MS = 1000
/** Bounds the memory while the database does not answer. */
const PENDING_BYTES_MAX = 64 * 1024 * 1024
const ROWS_PER_WRITE = 200
const NAMES_MAX = 5000
const MS = 1000
const SECONDS_PER_HOUR = 3600

type StoredDeps = {
  readonly database: Database
  readonly secrets: Secrets
  /** How long entries are stored; 0 if nothing is kept. */
  readonly hours: () => number
  readonly log: Pick<Logger, 'warn'>
  readonly clock: Clock
}

type Pending = { readonly owner: number; readonly entry: StoredEntry }

const nameOf = (owner: number, name: string) => `${owner} ${name}`

/**
 * Items and responses that later requests may refer to. They stay in memory for the next request
 * to this process, and in the database for other processes and after a restart. What arrives while
 * a write is running is written together.
 */
export class StoredItems {
  readonly #deps: StoredDeps
  readonly #recentItems: RecentItems
  #pending: Pending[] = []
  #pendingBytes = 0
  #writing: Promise<void> | null = null

  constructor(deps: StoredDeps) {
    this.#deps = deps
    const store = (owner: number, entries: readonly StoredEntry[]) => this.#store(owner, entries)
    this.#recentItems = new RecentItems(deps.clock.now, { store })
  }

  /** Null if the operator has switched off that anything is kept. */
  get recentItems(): RecentItems | null {
    return this.#deps.hours() === 0 ? null : this.#recentItems
  }

  /**
   * Reads entries into memory; false if none was found. Throws a refusal if the database does not
   * answer: a client that heard "not found" would drop its conversation.
   */
  async load(owner: number, names: readonly string[]): Promise<boolean> {
    const { database, clock } = this.#deps
    const byHash = new Map(names.slice(0, NAMES_MAX).map((name) => [this.#hash(owner, name), name]))
    const now = Math.floor(clock.now() / MS)
    const rows = await findStoredItems(database, { hashes: [...byHash.keys()], now }).catch(
      (error: unknown) => {
        throw databaseUnavailable(error)
      },
    )
    const entries = rows.flatMap(({ id_hash, sealed }) => {
      const name = byHash.get(id_hash)
      return name === undefined ? [] : this.#open(owner, { name, sealed })
    })
    this.#recentItems.receive(owner, entries)
    return entries.length > 0
  }

  /** Resolves when all entries are stored, or after a moment; undefined if none is pending. */
  written(): Promise<void> | undefined {
    if (this.#writing === null) return undefined
    return within(this.#deps.clock, WRITE_WAIT_MS, this.flushed()).catch(() => {})
  }

  async flushed(): Promise<void> {
    while (this.#writing !== null) await this.#writing
  }

  #hash(owner: number, name: string): string {
    return this.#deps.secrets.hashStored(nameOf(owner, name))
  }

  #open(owner: number, { name, sealed }: { name: string; sealed: string }): StoredEntry[] {
    const { secrets, log } = this.#deps
    try {
      const text = secrets.openStored(nameOf(owner, name), sealed)
      return [{ name, content: Buffer.from(text) }]
    } catch (error) {
      log.warn({ error, owner }, 'a stored response was altered and cannot be used')
      return []
    }
  }

  #store(owner: number, entries: readonly StoredEntry[]) {
    for (const entry of entries) {
      if (this.#pendingBytes + entry.content.length > PENDING_BYTES_MAX) return
      this.#pending.push({ owner, entry })
      this.#pendingBytes += entry.content.length
    }
    this.#startWriting()
  }

  #startWriting() {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null
      // An entry may have come after the last look at what is pending.
      if (this.#pending.length > 0) this.#startWriting()
    })
  }

  async #write(): Promise<void> {
    const { database, log } = this.#deps
    // All entries of an answer are written together.
    await Promise.resolve()
    while (this.#pending.length > 0) {
      const batch = this.#pending.splice(0, ROWS_PER_WRITE)
      for (const { entry } of batch) this.#pendingBytes -= entry.content.length
      const rows = this.#rowsOf(batch)
      await putStoredItems(database.kysely, rows).catch((error: unknown) => {
        log.warn({ error }, 'responses could not be stored; only this process knows them')
      })
    }
  }

  /** In the order of ids, so that processes that write at once do not wait for each other. */
  #rowsOf(batch: readonly Pending[]): StoredItemsTable[] {
    const { secrets, clock, hours } = this.#deps
    const expires_at = Math.floor(clock.now() / MS) + hours() * SECONDS_PER_HOUR
    const rows = new Map<string, StoredItemsTable>()
    for (const { owner, entry } of batch) {
      const id_hash = this.#hash(owner, entry.name)
      const sealed = secrets.sealStored(nameOf(owner, entry.name), entry.content.toString())
      rows.set(id_hash, { id_hash, user_id: owner, sealed, bytes: sealed.length, expires_at })
    }
    return [...rows.values()].toSorted((a, b) => (a.id_hash < b.id_hash ? -1 : 1))
  }
}

/**
 * The client may refer to an answer as soon as it has the end, at any process. Undefined if nothing
 * is left to store.
 */
export const whenStored = (
  { dialect }: Pick<Client, 'dialect'>,
  storedItems: Pick<StoredItems, 'written'>,
): Promise<void> | undefined => (dialect.missing === undefined ? undefined : storedItems.written())
