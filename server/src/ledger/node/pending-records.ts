import type { Seconds } from '@tollgate/contract'
import type { AccountAmount } from '../account.ts'
import type { EndRecord } from '../record.ts'

/** `record` is null for a journal record that changes nothing in the database. */
type Entry = { record: EndRecord | null; listeners: (() => void)[] | null }

/** Records of an epoch that the database has not applied yet, in order of their numbers. */
export class PendingRecords {
  #entries: Entry[] = []
  #position: number
  #ends = 0

  /** `position` is the number of the last applied record. */
  constructor(position = 0) {
    this.#position = position
  }

  get position(): number {
    return this.#position
  }

  /** Number of the last record, applied or not. */
  get last(): number {
    return this.#position + this.#entries.length
  }

  /** When the oldest end among them was recorded, in epoch seconds; null without ends. */
  get oldestEnd(): Seconds | null {
    return this.#entries.find(({ record }) => record !== null)?.record?.at ?? null
  }

  get hasEnds(): boolean {
    return this.#ends > 0
  }

  hasEndsOf(userId: number): boolean {
    return this.#entries.some(({ record }) => record?.context.userId === userId)
  }

  add(record: EndRecord | null) {
    if (record !== null) this.#ends += 1
    this.#entries.push({ record, listeners: null })
  }

  /**
   * End records of the next batch, at most `endsMax`, and the number of the batch's last record.
   */
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

  forward(position: number) {
    const applied = this.#entries.splice(0, position - this.#position)
    this.#position = position
    for (const { record, listeners } of applied) {
      if (record !== null) this.#ends -= 1
      for (const listener of listeners ?? []) listener()
    }
  }

  /** The database was restored from an older backup: the records it lost come first again. */
  rewind(position: number, records: readonly (EndRecord | null)[]) {
    this.#entries.unshift(...records.map((record) => ({ record, listeners: null })))
    this.#ends += records.filter((record) => record !== null).length
    this.#position = position
  }

  /**
   * The database applied other records up to this number: the pending records are numbered after
   * them.
   */
  renumber(position: number) {
    this.#position = position
  }

  /** Resolves when every record pending now is applied. */
  whenApplied(): Promise<void> {
    const last = this.#entries.at(-1)
    if (last === undefined) return Promise.resolve()
    return new Promise((resolve) => {
      last.listeners = [...(last.listeners ?? []), resolve]
    })
  }

  *leaseDebits(): Iterable<readonly AccountAmount[]> {
    for (const { record } of this.#entries) if (record !== null) yield record.parts
  }
}
