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
    const applied = this.#pending.splice(0, position - first.number + 1)
    // Most requests end in the batch that they began in.
    const ended = new Set<string>()
    for (const { record, bytes } of applied) {
      this.#bytes -= bytes
      if (record.kind !== 'open') ended.add(idOf(record))
    }
    for (const entry of applied) {
      const { record } = entry
      if (record.kind === 'open' && !ended.delete(idOf(record)))
        this.#running.set(idOf(record), entry)
    }
    for (const requestId of ended) this.#running.delete(requestId)
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

const idOf = (record: JournalRecord): string =>
  record.kind === 'moved' ? record.requestId : record.context.requestId
