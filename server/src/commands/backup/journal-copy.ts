import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Disk } from '../../ledger/journal/disk.ts'
import { parseFileName } from '../../ledger/journal/file-name.ts'
import { listEpochs } from '../../ledger/journal/reader.ts'
import type { BackedUpFile } from './backup-file.ts'

const JOURNAL = 'journal'
const ATTEMPTS_MAX = 10

type OpenedFile = { epoch: string; name: string; descriptor: number }

/**
 * Keeps the journal files of running processes open while the database is copied. What is deleted
 * or renamed meanwhile can then still be read, so that no record newer than the copy is missed.
 */
export class JournalCopy {
  readonly #disk: Disk
  readonly #folder: string
  readonly #files = new Map<string, OpenedFile>()

  constructor(disk: Disk, dataDir: string) {
    this.#disk = disk
    this.#folder = join(dataDir, JOURNAL)
  }

  /** Call it more often than the processes delete applied files, which is after ten minutes. */
  openNewFiles() {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const areOpen = this.#listFiles().map((file) => this.#open(file))
      if (areOpen.every(Boolean)) return
    }
    throw new Error(`the files in ${this.#folder} keep changing their names`)
  }

  /** Everything that the files hold now. */
  *read(): Generator<BackedUpFile> {
    for (const { epoch, name, descriptor } of this.#files.values()) {
      yield { path: `${JOURNAL}/${epoch}/${name}`, content: readFileSync(descriptor) }
    }
  }

  close() {
    for (const { descriptor } of this.#files.values()) closeSync(descriptor)
    this.#files.clear()
  }

  #listFiles(): Omit<OpenedFile, 'descriptor'>[] {
    return listEpochs(this.#disk, this.#folder).flatMap((epoch) =>
      this.#disk.listFiles(join(this.#folder, epoch)).map((name) => ({ epoch, name })),
    )
  }

  /** False if the file was renamed or deleted since it was listed. */
  #open({ epoch, name }: Omit<OpenedFile, 'descriptor'>): boolean {
    const number = parseFileName(name)?.number
    // The number stays when an applied file is renamed.
    const key = `${epoch}/${number}`
    if (number === undefined || this.#files.has(key)) return true
    try {
      const descriptor = openSync(join(this.#folder, epoch, name), 'r')
      this.#files.set(key, { epoch, name, descriptor })
      return true
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
      throw error
    }
  }
}
