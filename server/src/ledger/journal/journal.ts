import type { JournalRecord, OpenRecord } from '../record.ts'

/**
 * What a run has promised, on its disk before anybody is told of it. Records are numbered from 1; no other
 * process ever continues a run's journal.
 */
export type Journal = {
  /** False while the disk does not take what is written: no request is admitted then. */
  readonly isSound: () => boolean
  /** Bytes and records that were appended and not yet applied. */
  readonly pending: () => { bytes: number; records: number }
  /**
   * Queues a record and gives its number. All that one turn of the event loop appends is one write. The
   * record is kept until it was applied, and must not change.
   */
  readonly append: (record: JournalRecord) => number
  /**
   * Resolves when all that was appended so far is written (with `SYNC_JOURNAL=always`: is on the disk);
   * rejects when it could not be. It is written later all the same, unless it was applied before.
   */
  readonly written: () => Promise<void>
  /**
   * All up to this number is in the database. Whole files of it are removed ten minutes later, or when the
   * end of the last request that was opened in them is in the database too.
   */
  readonly applied: (position: number) => void
  /** Writes and syncs what is queued, and lets go of the folder. Rejects when something was not written. */
  readonly close: () => Promise<void>
  /** Removes the run's folder; only when the run is closed and all of it was applied. */
  readonly remove: () => void
}

export type NumberedRecord = { readonly number: number; readonly record: JournalRecord }

/** A journal as its folder has it, however its process ended. */
export type ReadJournal = {
  /** Those behind the position that was asked for, in the order of their numbers; each once. */
  readonly records: readonly NumberedRecord[]
  /** Of all that is there: what was opened, and neither ended nor moved. */
  readonly open: readonly OpenRecord[]
  /**
   * Numbers behind the position that are missing though later ones are there: the first of each row of
   * them, and what stands in their place.
   */
  readonly faults: readonly { number: number; text: string; error: string }[]
}
