import { join } from 'node:path'
import type { Disk, OpenFile } from './disk.ts'
import { nameOf } from './file-name.ts'

export const FILE_BYTES_MAX = 16 * 1024 * 1024
/** For this long a database that comes back a little older can be healed from what was applied. */
export const KEPT_MS = 600_000

type ChainFile = {
  readonly number: number
  /** The highest number of a record in it. */
  last: number
}
type WrittenFile = ChainFile & { readonly open: OpenFile; bytes: number }
type KeptFile = ChainFile & { isDone: boolean; unneededSince: number | null }

type ChainDeps = { disk: Disk; folder: string; fileBytesMax: number }

const logName = ({ number }: ChainFile) => nameOf({ number, doneAfter: null })
const doneName = ({ number, last }: ChainFile) => nameOf({ number, doneAfter: last })

/** The files of one journal, one after the other. What has failed is never written to again. */
export class FileChain {
  readonly #deps: ChainDeps
  #begun = 0
  /** Those that hold what is not known to be on the disk; the last of them is written to. */
  #open: WrittenFile[] = []
  #kept: KeptFile[] = []
  /** To be removed before the next is begun, so that there are never many. */
  #discarded: ChainFile[] = []

  constructor(deps: ChainDeps) {
    this.#deps = deps
  }

  begin() {
    for (const file of this.#discarded) this.#deps.disk.removeFile(this.#path(logName(file)))
    this.#discarded = []
    this.#begun += 1
    const file = { number: this.#begun, last: 0 }
    const open = this.#deps.disk.create(this.#path(logName(file)))
    this.#open.push({ ...file, open, bytes: 0 })
  }

  /** Lines up to the record `last`. Returns the number of their file; a next one is begun when it is full. */
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

  /** False when somebody has deleted a file that is needed. */
  areThere(): boolean {
    return this.#current().open.isLinked() && this.#missing().length === 0
  }

  /** True when there were some that somebody has deleted. */
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

  /** Lets go of files that failed; what they have is kept, as it may be good. */
  abandon() {
    this.#closeAll()
    this.#keep(this.#open)
  }

  /** Lets go of files whose records are all to be written again. */
  discard() {
    this.#closeAll()
    this.#discarded.push(...this.#open)
    this.#open = []
  }

  /** Marks what is done, and removes what was so for ten minutes; throws when some of it cannot be. */
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

  #current(): WrittenFile {
    const file = this.#open.at(-1)
    if (file === undefined) throw new Error('the journal has no open file')
    return file
  }

  #keep(files: readonly WrittenFile[]) {
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
        // It has failed before, and nothing in it is relied on.
      }
    }
  }
}
