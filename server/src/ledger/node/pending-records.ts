import type { Part } from '../account.ts'
import type { EndRecord } from '../record.ts'

/** Null for a record that changes nothing in the database. */
type Entry = { record: EndRecord | null; listeners: (() => void)[] }

/** What a run has written down and the database does not have yet, by number. */
export class PendingRecords {
  #entries: Entry[] = []
  #position: number
  #ends = 0

  /** `position`: the number of the last record that is applied. */
  constructor(position = 0) {
    this.#position = position
  }

  get position(): number {
    return this.#position
  }

  /** The number of the last record. */
  get last(): number {
    return this.#position + this.#entries.length
  }

  get hasEnds(): boolean {
    return this.#ends > 0
  }

  hasEndsOf(userId: number): boolean {
    return this.#entries.some(({ record }) => record?.context.userId === userId)
  }

  add(record: EndRecord | null) {
    if (record !== null) this.#ends += 1
    this.#entries.push({ record, listeners: [] })
  }

  /** The next records that fit into a turn, and the number of the last of them. */
  next(endsMax: number): { to: number; records: EndRecord[] } {
    const records: EndRecord[] = []
    let count = 0
    for (const { record } of this.#entries) {
      if (record !== null && records.length === endsMax) break
      if (record !== null) records.push(record)
      count += 1
    }
    return { to: this.#position + count, records }
  }

  /** All up to this number is applied. */
  forward(position: number) {
    const applied = this.#entries.splice(0, position - this.#position)
    this.#position = position
    for (const { record, listeners } of applied) {
      if (record !== null) this.#ends -= 1
      for (const listener of listeners) listener()
    }
  }

  /** The database is an older one: what it has lost comes first again. */
  rewind(position: number, records: readonly (EndRecord | null)[]) {
    this.#entries.unshift(...records.map((record) => ({ record, listeners: [] })))
    this.#ends += records.filter((record) => record !== null).length
    this.#position = position
  }

  /** The database has others up to this number: those that are here come behind it. */
  renumber(position: number) {
    this.#position = position
  }

  /** Resolves when all that is here now is applied. */
  applied(): Promise<void> {
    const last = this.#entries.at(-1)
    if (last === undefined) return Promise.resolve()
    return new Promise((resolve) => last.listeners.push(resolve))
  }

  *parts(): Iterable<readonly Part[]> {
    for (const { record } of this.#entries) if (record !== null) yield record.parts
  }
}
