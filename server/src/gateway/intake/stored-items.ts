import type { Logger } from 'pino'
import { RecentItems, type StoredEntry } from '@tollgate/relay'
import { type Clock, within } from '../../clock.ts'
import type { Secrets } from '../../secrets.ts'
import type { Database } from '../../store/database.ts'
import type { StoredItemsTable } from '../../store/schema.ts'
import { findStoredItems, putStoredItems, sizeOfStoredItems } from '../../store/stored-items.ts'
import { badRequest, databaseUnavailable } from '../errors.ts'
import type { Client } from './client.ts'
import { StoreBudget } from './store-budget.ts'

const MIB = 1024 * 1024
/** How long the end of an answer waits until its items are stored. */
const WRITE_WAIT_MS = 1000
/** Bounds the memory while the database does not answer. */
const PENDING_BYTES_MAX = 64 * MIB
/** A write holds the database's only writer, on SQLite, and with it the ledger. */
const ROWS_PER_WRITE = 200
const BYTES_PER_WRITE = 2 * MIB
/** A request reads no more: longer histories are refused. */
const LOAD_BYTES_MAX = 8 * MIB
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

/** What one write stores. */
type Batch = {
  readonly entries: Pending[]
  bytes: number
  readonly done: PromiseWithResolvers<void>
}

const HISTORY_TOO_LONG = {
  message: 'What this request refers to is too long. Send the conversation in the input.',
  param: 'input',
  code: 'context_length_exceeded',
  type: 'invalid_request_error',
} as const

const nameOf = (owner: number, name: string) => `${owner} ${name}`

/**
 * Items and responses that later requests may refer to. They stay in memory for the next request
 * to this process, and in the database for other processes and after a restart. What arrives while
 * a write is running is written together.
 */
export class StoredItems {
  readonly #deps: StoredDeps
  readonly #recentItems: RecentItems
  readonly #budget: StoreBudget
  /** In the order of writing. */
  #queue: Batch[] = []
  #queuedBytes = 0
  /** The last batch with an entry of the user. */
  readonly #lastOf = new Map<number, Promise<void>>()
  #writing: Promise<void> | null = null

  constructor(deps: StoredDeps) {
    this.#deps = deps
    this.#budget = new StoreBudget(deps.clock)
    const store = (owner: number, entries: readonly StoredEntry[]) => this.#store(owner, entries)
    this.#recentItems = new RecentItems(deps.clock.now, { store })
  }

  /** Null if the operator has switched off that anything is kept. */
  get recentItems(): RecentItems | null {
    return this.#deps.hours() === 0 ? null : this.#recentItems
  }

  /**
   * Returns the stored entries, and keeps them in memory, from which others may evict them. Throws
   * a refusal if the database does not answer, since a client that heard "not found" would drop its
   * conversation, and for a history that is too long.
   */
  async load(owner: number, names: readonly string[]): Promise<readonly StoredEntry[]> {
    const { database, clock } = this.#deps
    const byHash = new Map(names.slice(0, NAMES_MAX).map((name) => [this.#hash(owner, name), name]))
    const wanted = { hashes: [...byHash.keys()], now: Math.floor(clock.now() / MS) }
    const fail = (error: unknown) => {
      throw databaseUnavailable(error)
    }
    const bytes = await sizeOfStoredItems(database, wanted).catch(fail)
    if (bytes > LOAD_BYTES_MAX) throw badRequest(HISTORY_TOO_LONG)
    const rows = await findStoredItems(database, wanted).catch(fail)
    const entries = rows.flatMap(({ id_hash, sealed }) => {
      const name = byHash.get(id_hash)
      return name === undefined ? [] : this.#open(owner, { name, sealed })
    })
    this.#recentItems.receive(owner, entries)
    return entries
  }

  /** Resolves when the user's entries are stored, or after a moment; undefined if none waits. */
  written(owner: number): Promise<void> | undefined {
    const done = this.#lastOf.get(owner)
    return done && within(this.#deps.clock, WRITE_WAIT_MS, done).catch(() => {})
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
      const bytes = entry.content.length
      if (this.#queuedBytes + bytes > PENDING_BYTES_MAX || !this.#budget.take(owner, bytes)) {
        this.#budget.warnOnce(() =>
          this.#deps.log.warn({ user: owner }, 'too many responses to store all; some are dropped'),
        )
        continue
      }
      const batch = this.#batchFor(bytes)
      batch.entries.push({ owner, entry })
      batch.bytes += bytes
      this.#queuedBytes += bytes
      this.#lastOf.set(owner, batch.done.promise)
    }
    if (this.#queue.length > 0) this.#writing ??= this.#write()
  }

  #batchFor(bytes: number): Batch {
    const last = this.#queue.at(-1)
    const hasRoom =
      last && last.entries.length < ROWS_PER_WRITE && last.bytes + bytes <= BYTES_PER_WRITE
    if (hasRoom) return last
    const batch: Batch = { entries: [], bytes: 0, done: Promise.withResolvers() }
    this.#queue.push(batch)
    return batch
  }

  async #write(): Promise<void> {
    // All entries of an answer are written together.
    await Promise.resolve()
    for (let batch = this.#queue.shift(); batch; batch = this.#queue.shift()) {
      this.#queuedBytes -= batch.bytes
      await this.#writeBatch(batch)
      for (const { owner } of batch.entries) {
        if (this.#lastOf.get(owner) === batch.done.promise) this.#lastOf.delete(owner)
      }
      batch.done.resolve()
    }
    this.#writing = null
  }

  async #writeBatch({ entries }: Batch): Promise<void> {
    const { database, log } = this.#deps
    const rows = this.#rowsOf(entries)
    const put = () => putStoredItems(database.kysely, rows)
    await put()
      .catch(put)
      .catch((error: unknown) => {
        log.warn({ error }, 'responses could not be stored; only this process knows them')
      })
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
  { storedItems, owner }: { storedItems: Pick<StoredItems, 'written'>; owner: number },
): Promise<void> | undefined =>
  dialect.missing === undefined ? undefined : storedItems.written(owner)
