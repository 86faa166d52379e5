import type { JournalRecord } from '../record.ts'

export type Entry = {
  readonly number: number
  readonly record: JournalRecord
  readonly bytes: number
  /** Number of the file the record was last written to; 0 if none. */
  file: number
}

/**
 * Records of an epoch that the disk must have: records not applied yet, and the openings of
 * requests whose end is not applied yet. The journal can be rewritten from these.
 */
export class Backlog {
  #pending: Entry[] = []
  /** In order of their numbers. */
  readonly #running = new Map<string, Entry>()
  #bytes = 0
  #position = 0
  #last = 0

  get last(): number {
    return this.#last
  }

  get pending(): { bytes: number; records: number } {
    return { bytes: this.#bytes, records: this.#pending.length }
  }

  add(record: JournalRecord, bytes: number): Entry {
    this.#last += 1
    this.#bytes += bytes
    const entry = { number: this.#last, record, bytes, file: 0 }
    this.#pending.push(entry)
    return entry
  }

  /** The position may also go back with a restored database, to where the files still exist. */
  markApplied(position: number) {
    this.#position = position
    const first = this.#pending[0]
    if (first === undefined || position < first.number) return
    for (const entry of this.#pending.splice(0, position - first.number + 1)) {
      this.#bytes -= entry.bytes
      const { record } = entry
      if (record.kind === 'open') this.#running.set(record.context.requestId, entry)
      else this.#running.delete(record.kind === 'end' ? record.context.requestId : record.requestId)
    }
  }

  /** Records that the disk must have with numbers above this, in order. */
  *entriesAfter(number: number): Generator<Entry> {
    for (const entry of this.#running.values()) if (entry.number > number) yield entry
    const first = this.#pending[0]?.number ?? 0
    for (let index = Math.max(0, number + 1 - first); index < this.#pending.length; index++) {
      const entry = this.#pending[index]
      if (entry) yield entry
    }
  }

  /** Numbers of the files that are still needed, out of `files` with their last record numbers. */
  neededFiles(files: readonly { number: number; last: number }[]): Set<number> {
    const needed = files.filter(({ last }) => last > this.#position).map(({ number }) => number)
    return new Set([...needed, ...Array.from(this.#running.values(), ({ file }) => file)])
  }
}
