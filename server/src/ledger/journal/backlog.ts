import type { JournalRecord } from '../record.ts'

export type Entry = {
  readonly number: number
  readonly record: JournalRecord
  readonly bytes: number
  /** The file it was last written to; 0 when there is none. */
  file: number
}

/**
 * The records of a run that its disk must have: those not applied, and the beginnings of requests whose
 * end is not applied. With them all can be written again.
 */
export class Backlog {
  #unapplied: Entry[] = []
  /** In the order of their numbers. */
  readonly #running = new Map<string, Entry>()
  #bytes = 0
  #position = 0
  #last = 0

  get last(): number {
    return this.#last
  }

  get pending(): { bytes: number; records: number } {
    return { bytes: this.#bytes, records: this.#unapplied.length }
  }

  add(record: JournalRecord, bytes: number): Entry {
    this.#last += 1
    this.#bytes += bytes
    const entry = { number: this.#last, record, bytes, file: 0 }
    this.#unapplied.push(entry)
    return entry
  }

  /** The database may have gone back, too, to where its files are still there. */
  applied(position: number) {
    this.#position = position
    const first = this.#unapplied[0]
    if (first === undefined || position < first.number) return
    for (const entry of this.#unapplied.splice(0, position - first.number + 1)) {
      this.#bytes -= entry.bytes
      const { record } = entry
      if (record.kind === 'open') this.#running.set(record.context.requestId, entry)
      else this.#running.delete(record.kind === 'end' ? record.context.requestId : record.requestId)
    }
  }

  /** What the disk must have of the numbers behind this one, in their order. */
  *behind(number: number): Generator<Entry> {
    for (const entry of this.#running.values()) if (entry.number > number) yield entry
    const first = this.#unapplied[0]?.number ?? 0
    for (let index = Math.max(0, number + 1 - first); index < this.#unapplied.length; index++) {
      const entry = this.#unapplied[index]
      if (entry) yield entry
    }
  }

  /** The files that are still needed, of those whose last numbers are given. */
  neededFiles(files: readonly { number: number; last: number }[]): Set<number> {
    const needed = files.filter(({ last }) => last > this.#position).map(({ number }) => number)
    return new Set([...needed, ...Array.from(this.#running.values(), ({ file }) => file)])
  }
}
