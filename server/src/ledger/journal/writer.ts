import type { Logger } from 'pino'
import { type Clock, type Timer, yieldToEventLoop, within } from '../../clock.ts'
import { LedgerUnavailable } from '../ledger.ts'
import type { JournalRecord } from '../record.ts'
import { Backlog, type Entry } from './backlog.ts'
import type { Disk, FolderLock } from './disk.ts'
import { FILE_BYTES_MAX, FileChain } from './file-chain.ts'
import type { Journal } from './journal.ts'
import { LineBatch } from './line.ts'
import { Waiters } from './waiters.ts'

/** Written records are then on the disk within about 50 ms. */
const SYNC_AFTER_MS = 40
const SYNC_MS_MAX = 10_000
const CHECK_INTERVAL_MS = 1000
const PAUSE_MS_MIN = 100
const PAUSE_MS_MAX = 1000
const CLOSE_ATTEMPTS = 2
/** Upper bound on bytes rewritten per turn of the event loop, so that requests do not wait. */
const BYTES_PER_TICK = 1024 * 1024
/** Shows whether a full disk takes writes again. Readers skip an empty line. */
const PROBE = Buffer.from('\n')

export type JournalDeps = {
  disk: Disk
  /** The epoch's own folder: created if missing, and locked until the journal is closed. */
  folder: string
  epoch: string
  clock: Clock
  /** Whether `written` waits until records are on the disk. */
  syncAlways: boolean
  log: Pick<Logger, 'error' | 'warn'>
  fileBytesMax?: number
}

/** Never throws: if the disk fails at once, the journal is unsound until the disk recovers. */
export const openJournal = (deps: JournalDeps): Journal => new FileJournal(deps)

class FileJournal implements Journal {
  readonly #deps: JournalDeps
  readonly #backlog = new Backlog()
  readonly #files: FileChain
  readonly #lines: LineBatch
  readonly #waiters = new Waiters()
  #state: 'sound' | 'unsound' | 'closed' = 'sound'
  #isClosing = false
  #closing: Promise<void> | null = null
  #lock: FolderLock | null = null
  /** The entries in `#lines`. */
  #batch: Entry[] = []
  /**
   * `#writtenTo`: last number whose write has returned. `#syncedTo`: last number known to be on the
   * disk.
   */
  #writtenTo = 0
  #syncedTo = 0
  #syncing: Promise<void> | null = null
  #repairing: Promise<void> | null = null
  /** Work in progress is obsolete once this counter has changed. */
  #failures = 0
  #lastError: unknown = null
  #pauseMs = PAUSE_MS_MIN
  #syncTimer: Timer | null = null
  #repairTimer: Timer | undefined
  #checkTimer: Timer | undefined

  constructor(deps: JournalDeps) {
    this.#deps = deps
    const { disk, folder, epoch, fileBytesMax = FILE_BYTES_MAX } = deps
    this.#files = new FileChain({ disk, folder, fileBytesMax })
    this.#lines = new LineBatch(epoch)
    try {
      this.#claimFolder()
      this.#files.begin()
    } catch (error) {
      this.#fail(error)
    }
    this.#checkLater()
  }

  isSound(): boolean {
    return this.#state === 'sound'
  }

  pending(): { bytes: number; records: number } {
    return this.#backlog.pending
  }

  append(record: JournalRecord): number {
    if (this.#isClosing) throw new Error('the journal is closed')
    const entry = this.#backlog.add(record, this.#lines.add(this.#backlog.last + 1, record))
    if (this.#state === 'sound') {
      if (this.#batch.length === 0) this.#deps.clock.soon(() => this.#flush())
      this.#batch.push(entry)
    } else this.#lines.take()
    return entry.number
  }

  written(): Promise<void> {
    if (this.#acknowledgedTo() >= this.#backlog.last) return Promise.resolve()
    if (this.#state !== 'sound') return Promise.reject(this.#unavailable())
    return this.#waiters.wait(this.#backlog.last, this.#writtenTo)
  }

  markApplied(position: number) {
    this.#backlog.markApplied(position)
  }

  close(): Promise<void> {
    this.#isClosing = true
    return (this.#closing ??= this.#finish())
  }

  remove() {
    if (this.#state !== 'closed') throw new Error('the journal is still open')
    if (this.#backlog.pending.records > 0) throw new Error('the journal is not wholly applied')
    this.#deps.disk.removeFolder(this.#deps.folder)
  }

  async #finish(): Promise<void> {
    this.#checkTimer?.close()
    this.#repairTimer?.close()
    await this.#repairing
    this.#flush()
    for (let attempt = 0; attempt < CLOSE_ATTEMPTS && !this.#isSynced(); attempt++) {
      if (this.#state === 'unsound') await this.#repair()
      while (this.#state === 'sound' && this.#syncedTo < this.#backlog.last) {
        await (this.#syncing ??= this.#sync())
      }
    }
    const isSynced = this.#isSynced()
    this.#state = 'closed'
    this.#failures += 1
    this.#syncTimer?.close()
    this.#files.abandon()
    this.#lock?.release()
    if (!isSynced) throw this.#unavailable()
  }

  #acknowledgedTo(): number {
    const isWriteSufficient = this.#state === 'sound' && !this.#deps.syncAlways
    return isWriteSufficient ? this.#writtenTo : this.#syncedTo
  }

  #isSynced(): boolean {
    if (this.#state === 'sound') return this.#syncedTo >= this.#backlog.last
    return this.#backlog.entriesAfter(0).next().done === true
  }

  #unavailable(): LedgerUnavailable {
    return new LedgerUnavailable('the journal cannot be written', { cause: this.#lastError })
  }

  /**
   * If files were deleted, no record counts as safe any more. A deleted folder took its lock along.
   */
  #claimFolder() {
    const { disk, folder } = this.#deps
    if (disk.makeFolder(folder)) {
      this.#lock?.release()
      this.#lock = null
    }
    if (this.#files.forgetMissing()) this.#syncedTo = 0
    this.#lock ??= disk.lock(folder)
    if (this.#lock === null) throw new Error('another process holds the journal of this epoch')
  }

  #flush() {
    if (this.#batch.length === 0) return
    const to = this.#backlog.last
    try {
      const file = this.#files.write(this.#lines.take(), to)
      for (const entry of this.#batch) entry.file = file
    } catch (error) {
      this.#fail(error)
      return
    }
    this.#batch = []
    this.#writtenTo = to
    if (this.#deps.syncAlways) this.#syncing ??= this.#sync()
    else this.#syncTimer ??= this.#deps.clock.after(SYNC_AFTER_MS, () => this.#syncDue())
    this.#waiters.reach(this.#acknowledgedTo())
  }

  #syncDue() {
    this.#syncTimer = null
    this.#syncing ??= this.#sync()
  }

  /** Never rejects. */
  async #sync(): Promise<void> {
    const to = this.#writtenTo
    const failures = this.#failures
    const error = await this.#syncFiles()
    if (failures !== this.#failures) return
    this.#syncing = null
    if (error !== null) {
      this.#fail(error)
      return
    }
    this.#syncedTo = to
    this.#waiters.reach(this.#acknowledgedTo())
    const isDue = this.#syncTimer === null
    if (this.#writtenTo > to && isDue) this.#syncing = this.#sync()
  }

  async #syncFiles(): Promise<Error | null> {
    try {
      await within(this.#deps.clock, SYNC_MS_MAX, this.#files.sync())
      return null
    } catch (error) {
      return new Error('the journal cannot be synced', { cause: error })
    }
  }

  /** Abandons the open files: nothing written above `#syncedTo` is relied on any more. */
  #fail(error: unknown) {
    this.#state = 'unsound'
    this.#failures += 1
    this.#lastError = error
    this.#syncing = null
    this.#syncTimer?.close()
    this.#syncTimer = null
    this.#lines.take()
    this.#batch = []
    this.#files.abandon()
    this.#waiters.fail(this.#unavailable())
    const { log, epoch } = this.#deps
    log.error({ error, epoch }, 'the journal cannot be written; requests are refused until it can')
    this.#repairLater()
  }

  #repairLater() {
    if (this.#isClosing) return
    this.#repairTimer = this.#deps.clock.after(this.#pauseMs, () => {
      this.#repairing = this.#repair().finally(() => {
        this.#repairing = null
      })
    })
    this.#pauseMs = Math.min(PAUSE_MS_MAX, this.#pauseMs * 2)
  }

  /** Writes every record that is not known to be safe to a new file. */
  async #repair(): Promise<void> {
    try {
      this.#claimFolder()
      this.#files.begin()
      let to = this.#syncedTo
      do {
        to = this.#rewrite(to)
        await yieldToEventLoop(this.#deps.clock)
      } while (to < this.#backlog.last)
      const error = await this.#syncFiles()
      if (error !== null) throw error
      this.#repaired(to)
    } catch (error) {
      this.#lastError = error
      this.#files.discard()
      this.#repairLater()
    }
  }

  /**
   * Writes as many records above `behind` as one turn may take. Returns the last number written.
   */
  #rewrite(behind: number): number {
    const lines = new LineBatch(this.#deps.epoch)
    const entries: Entry[] = []
    let to = this.#backlog.last
    for (const entry of this.#backlog.entriesAfter(behind)) {
      lines.add(entry.number, entry.record)
      entries.push(entry)
      if (lines.length < BYTES_PER_TICK) continue
      to = entry.number
      break
    }
    const file = this.#files.write(entries.length === 0 ? PROBE : lines.take(), to)
    for (const entry of entries) entry.file = file
    return to
  }

  /** Records appended during the repair are written the usual way. */
  #repaired(to: number) {
    this.#state = 'sound'
    this.#writtenTo = to
    this.#syncedTo = to
    this.#lastError = null
    this.#pauseMs = PAUSE_MS_MIN
    this.#deps.log.warn({ epoch: this.#deps.epoch }, 'the journal is written again')
    for (const entry of this.#backlog.entriesAfter(to)) {
      this.#lines.add(entry.number, entry.record)
      this.#batch.push(entry)
    }
    this.#flush()
  }

  #checkLater() {
    this.#checkTimer = this.#deps.clock.after(CHECK_INTERVAL_MS, () => {
      this.#check()
      this.#checkLater()
    })
  }

  #check() {
    const { clock, log, epoch } = this.#deps
    if (this.#state === 'sound') this.#checkFiles()
    if (this.#state !== 'sound') return
    try {
      this.#files.sweep((files) => this.#backlog.neededFiles(files), clock.monotonic())
    } catch (error) {
      log.warn({ error, epoch }, 'old files of the journal cannot be removed')
    }
  }

  #checkFiles() {
    try {
      if (!this.#files.isIntact()) throw new Error('files of the journal were deleted')
    } catch (error) {
      this.#fail(error)
    }
  }
}
