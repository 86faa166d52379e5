import { join } from 'node:path'
import type { Disk, OpenFile } from './disk.ts'
import { nameOf } from './file-name.ts'

export const FILE_BYTES_MAX = 16 * 1024 * 1024
/**
 * For ten minutes, a database restored to a slightly older state can be repaired from applied
 * records.
 */
export const KEPT_MS = 600_000

type ChainFile = {
  readonly number: number
  /** Highest record number in the file. */
  last: number
}
type ActiveFile = ChainFile & { readonly open: OpenFile; bytes: number }
type KeptFile = ChainFile & { isDone: boolean; unneededSince: number | null }

type ChainDeps = { disk: Disk; folder: string; fileBytesMax: number }

const logName = ({ number }: ChainFile) => nameOf({ number, doneAfter: null })
const doneName = ({ number, last }: ChainFile) => nameOf({ number, doneAfter: last })

/** The consecutive files of one journal. A file that failed is never written to again. */
export class FileChain {
  readonly #deps: ChainDeps
  #fileCount = 0
  /** Files whose content is not known to be on the disk. Writes go to the last file. */
  #open: ActiveFile[] = []
  #kept: KeptFile[] = []
  /** Removed before the next file is begun, so that there are never many. */
  #discarded: ChainFile[] = []

  constructor(deps: ChainDeps) {
    this.#deps = deps
  }

  begin() {
    for (const file of this.#discarded) this.#deps.disk.removeFile(this.#path(logName(file)))
    this.#discarded = []
    this.#fileCount += 1
    const file = { number: this.#fileCount, last: 0 }
    const open = this.#deps.disk.create(this.#path(logName(file)))
    this.#open.push({ ...file, open, bytes: 0 })
  }

  /**
   * Writes lines up to the record `last`. Returns the number of their file. Begins a new file when
   * the current file is full.
   */
  write(lines: Buffer, last: number): number {
    const { bytes } = this.#current()
    if (bytes > 0 && bytes + lines.length > this.#deps.fileBytesMax) this.begin()
    const file = this.#current()
    file.last = last
    const written = file.open.write(lines)
    file.bytes += written
    if (written < lines.length) throw new Error(`wrote ${written} of ${lines.length} bytes`)
    return file.number
  }

  async sync(): Promise<void> {
    const files = [...this.#open]
    await Promise.all(files.map(({ open }) => open.sync()))
    const current = this.#open.at(-1)
    for (const file of files) {
      if (file === current || !this.#open.includes(file)) continue
      file.open.close()
      this.#keep([file])
    }
  }

  /** False if a file that is needed was deleted. */
  isIntact(): boolean {
    return this.#current().open.isLinked() && this.#missing().length === 0
  }

  /** True if any needed file was deleted. */
  forgetMissing(): boolean {
    const missing = this.#missing()
    this.#kept = this.#kept.filter((file) => !missing.includes(file))
    return missing.length > 0
  }

  #missing(): KeptFile[] {
    const needed = this.#kept.filter(({ isDone }) => !isDone)
    if (needed.length === 0) return []
    const names = new Set(this.#deps.disk.listFiles(this.#deps.folder))
    return needed.filter((file) => !names.has(logName(file)))
  }

  /** Closes files that failed. Their content is kept, since it may be good. */
  abandon() {
    this.#closeAll()
    this.#keep(this.#open)
  }

  /** Closes files whose records will all be written again. */
  discard() {
    this.#closeAll()
    this.#discarded.push(...this.#open)
    this.#open = []
  }

  /**
   * Marks files that are not needed as done, and removes them ten minutes later. Throws if that
   * fails for any file.
   */
  sweep(neededFiles: (files: readonly ChainFile[]) => Set<number>, now: number) {
    const needed = neededFiles(this.#kept)
    const errors: unknown[] = []
    this.#kept = this.#kept.filter((file) => {
      file.unneededSince = needed.has(file.number) ? null : (file.unneededSince ?? now)
      if (file.unneededSince === null) return true
      try {
        this.#markDone(file)
        if (now - file.unneededSince < KEPT_MS) return true
        this.#deps.disk.removeFile(this.#path(doneName(file)))
        return false
      } catch (error) {
        errors.push(error)
        return true
      }
    })
    if (errors.length > 0) throw new AggregateError(errors, 'old files of the journal stay')
  }

  #markDone(file: KeptFile) {
    if (file.isDone) return
    this.#deps.disk.rename(this.#path(logName(file)), this.#path(doneName(file)))
    file.isDone = true
  }

  #path(name: string): string {
    return join(this.#deps.folder, name)
  }

  #current(): ActiveFile {
    const file = this.#open.at(-1)
    if (file === undefined) throw new Error('the journal has no open file')
    return file
  }

  #keep(files: readonly ActiveFile[]) {
    this.#kept.push(
      ...files.map(({ number, last }) => ({ number, last, isDone: false, unneededSince: null })),
    )
    this.#open = this.#open.filter((file) => !files.includes(file))
  }

  #closeAll() {
    for (const { open } of this.#open) {
      try {
        open.close()
      } catch {
        // The file has failed before, and nothing relies on its content.
      }
    }
  }
}
