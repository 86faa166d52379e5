import type { Disk, OpenFile } from '../../src/ledger/journal/disk.ts'
import type { Process } from './process.ts'

/**
 * The disk as a process sees it: completions reach only a running process. After a set number of
 * changing calls the process dies, in the middle of whatever it does.
 */
export class ProcessDisk {
  readonly disk: Disk
  readonly #process: Process
  #callsLeft = Infinity

  constructor(disk: Disk, process: Process) {
    this.#process = process
    this.disk = {
      ...disk,
      create: (path) => {
        this.#count()
        return this.#open(disk.create(path))
      },
      removeFile: (path) => {
        this.#count()
        disk.removeFile(path)
      },
    }
  }

  dieAfter(calls: number) {
    this.#callsLeft = calls
  }

  #count() {
    this.#callsLeft -= 1
    if (this.#callsLeft < 0) this.#process.kill()
  }

  #open(file: OpenFile): OpenFile {
    const process = this.#process
    return {
      ...file,
      write: (bytes) => {
        this.#count()
        return file.write(bytes)
      },
      /** A dead process never gets a result. */
      sync: async () => {
        const synced = await file.sync().then(
          () => null,
          (error: unknown) => ({ error }),
        )
        await new Promise<void>((resolve) => process.after(0, resolve))
        if (synced !== null) throw synced.error
      },
    }
  }
}
