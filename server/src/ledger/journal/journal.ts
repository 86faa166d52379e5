import type { JournalRecord, OpenRecord } from '../record.ts'

/**
 * The promises of an epoch, written before anything relies on them. Records are numbered from 1. No
 * other process ever continues an epoch's journal.
 */
export type Journal = {
  /** False while the disk rejects writes; no request is authorized then. */
  readonly isSound: () => boolean
  /** Bytes and records that were appended and not applied yet. */
  readonly pending: () => { bytes: number; records: number }
  /**
   * Queues a record and returns its number. All appends of one turn of the event loop are one
   * write. The record is kept until it is applied, and must not change.
   */
  readonly append: (record: JournalRecord) => number
  /**
   * Resolves when everything appended so far is written (with `SYNC_JOURNAL=always`: is on the
   * disk). Rejects if the write failed. The records are still written later, unless they are
   * applied before.
   */
  readonly written: () => Promise<void>
  /**
   * Every record up to this number is in the database. A file is removed ten minutes after its
   * records, and the ends of all requests opened in it, are applied.
   */
  readonly markApplied: (position: number) => void
  /**
   * Writes and syncs what is queued and releases the folder. Rejects if something was not written.
   */
  readonly close: () => Promise<void>
  /** Removes the epoch's folder. Throws unless the journal is closed and fully applied. */
  readonly remove: () => void
}

export type NumberedRecord = { readonly number: number; readonly record: JournalRecord }

/** A journal as found in its folder, however its process ended. */
export type ReadJournal = {
  /** Records above the requested position, in order of their numbers, each once. */
  readonly records: readonly NumberedRecord[]
  /** Requests in any file that were opened and neither ended nor moved. */
  readonly open: readonly OpenRecord[]
  /**
   * Gaps above the position that are followed by later records: the first number of each gap, and
   * the text in its place. Also records of an unknown kind.
   */
  readonly faults: readonly { number: number; text: string; error: string }[]
}
