import type { Clock } from '../../src/clock.ts'
import type { Disk, FolderLock, OpenFile } from '../../src/ledger/journal/disk.ts'

const SECTOR_BYTES = 512

/** `lost`: a sync failed, and the system has since considered the data clean. */
type Piece = { readonly bytes: Buffer; state: 'dirty' | 'durable' | 'lost' }
type StoredFile = { pieces: Piece[]; isNameDurable: boolean }
type Place = { readonly folder: string; readonly name: string }
type Process = { isAlive: boolean }

export type DiskTrouble = {
  isFull: boolean
  isReadOnly: boolean
  writesShort: boolean
  failsToSync: boolean
  syncMs: number
}

const NO_TROUBLE: DiskTrouble = {
  isFull: false,
  isReadOnly: false,
  writesShort: false,
  failsToSync: false,
  syncMs: 1,
}

/** The disk of one machine, in memory. Every random effect comes from `random`. */
export class FakeDisk {
  readonly trouble: DiskTrouble = { ...NO_TROUBLE }
  readonly #random: () => number
  readonly #clock: Clock
  readonly #folders = new Map<string, Map<string, StoredFile>>()
  readonly #locks = new Map<string, { process: Process }>()
  /** What a power cut may undo. */
  #removed: (Place & { file: StoredFile })[] = []
  #renamed: { from: Place; to: Place }[] = []
  #processes: Process[] = []

  constructor({ random, clock }: { random: () => number; clock: Clock }) {
    this.#random = random
    this.#clock = clock
  }

  attach(): { disk: Disk; kill: () => void } {
    const process = { isAlive: true }
    this.#processes.push(process)
    return { disk: this.#diskOf(process), kill: () => this.#kill(process) }
  }

  heal() {
    Object.assign(this.trouble, NO_TROUBLE)
  }

  /** Ends all processes. Any part of what was not synced may survive, vanish or become zeros. */
  powerCut() {
    for (const process of this.#processes) this.#kill(process)
    for (const { folder, name, file } of this.#removed.splice(0)) {
      if (this.#chance()) this.#folders.get(folder)?.set(name, file)
    }
    for (const { from, to } of this.#renamed.splice(0)) if (this.#chance()) this.#rename(to, from)
    this.#renamed = []
    for (const files of this.#folders.values()) {
      for (const [name, file] of files) {
        if (!file.isNameDurable && this.#chance()) files.delete(name)
        else this.#losePower(file)
      }
    }
  }

  /** Deletes the folder under a running process, as a person might. */
  deleteFolder(path: string) {
    for (const folder of this.#folders.keys()) {
      if (folder !== path && !folder.startsWith(`${path}/`)) continue
      this.#folders.delete(folder)
      this.#locks.delete(folder)
    }
  }

  /** The disk of another machine with the same files. Locks are not copied. */
  copy(): FakeDisk {
    const copy = new FakeDisk({ random: this.#random, clock: this.#clock })
    for (const [folder, files] of this.#folders) {
      const entries = Array.from(
        files,
        ([name, file]) => [name, durableFile(bytesOf(file))] as const,
      )
      copy.#folders.set(folder, new Map(entries))
    }
    return copy
  }

  /** Creates or replaces a file; its content is durable. */
  put(path: string, bytes: Buffer) {
    const { folder, name } = placeOf(path)
    this.#folderOf(folder).set(name, durableFile(bytes))
  }

  bytes(path: string): Buffer {
    return bytesOf(this.#fileAt(path))
  }

  #diskOf(process: Process): Disk {
    const alive = () => {
      if (!process.isAlive) throw new Error('this process has ended')
    }
    const changing = () => {
      alive()
      if (this.trouble.isReadOnly) throw diskError('EROFS')
    }
    return {
      makeFolder: (path) => {
        changing()
        if (this.#folders.has(path)) return false
        this.#folders.set(path, new Map())
        return true
      },
      listFolders: (path) => {
        const inside = [...this.#folders.keys()].filter((folder) => folder.startsWith(`${path}/`))
        return [
          ...new Set(inside.map((folder) => folder.slice(path.length + 1).split('/')[0] ?? '')),
        ].toSorted()
      },
      listFiles: (path) => [...(this.#folders.get(path)?.keys() ?? [])].toSorted(),
      read: async (path) => bytesOf(this.#fileAt(path)),
      create: (path) => {
        changing()
        if (this.trouble.isFull && this.#chance()) throw diskError('ENOSPC')
        return this.#create(path, process)
      },
      rename: (from, to) => {
        changing()
        this.#rename(placeOf(from), placeOf(to))
      },
      removeFile: (path) => {
        changing()
        this.#remove(placeOf(path))
      },
      removeFolder: (path) => {
        changing()
        for (const name of this.#folders.get(path)?.keys() ?? [])
          this.#remove({ folder: path, name })
        this.deleteFolder(path)
      },
      lock: (folder) => {
        alive()
        return this.#lock(folder, process)
      },
    }
  }

  #create(path: string, process: Process): OpenFile {
    const { folder, name } = placeOf(path)
    const files = this.#folderOf(folder)
    if (files.has(name)) throw diskError('EEXIST')
    const file: StoredFile = { pieces: [], isNameDurable: false }
    files.set(name, file)
    const opening = { isOpen: true }
    const usable = () => {
      if (!process.isAlive) throw new Error('this process has ended')
      if (!opening.isOpen) throw diskError('EBADF')
    }
    return {
      write: (bytes) => {
        usable()
        return this.#write(file, bytes)
      },
      sync: async () => {
        usable()
        await this.#sync(file, process)
      },
      isLinked: () => {
        usable()
        return this.#folders.get(folder)?.get(name) === file
      },
      close: () => {
        opening.isOpen = false
      },
    }
  }

  #write(file: StoredFile, bytes: Buffer): number {
    const { isFull, isReadOnly, writesShort } = this.trouble
    if (isReadOnly) throw diskError('EROFS')
    if (bytes.length === 0) return 0
    const isShort = isFull || writesShort
    const length = isShort ? Math.floor(this.#random() * bytes.length) : bytes.length
    if (isFull && (length === 0 || this.#chance())) throw diskError('ENOSPC')
    file.pieces.push({ bytes: Buffer.from(bytes.subarray(0, length)), state: 'dirty' })
    return length
  }

  /** Does not sync what is written in the meantime. */
  #sync(file: StoredFile, process: Process): Promise<void> {
    const dirty = file.pieces.filter(({ state }) => state === 'dirty')
    return new Promise((resolve, reject) => {
      this.#clock.after(this.trouble.syncMs, () => {
        if (!process.isAlive) return
        const { failsToSync } = this.trouble
        for (const piece of dirty) {
          if (piece.state === 'dirty')
            piece.state = failsToSync && this.#chance() ? 'lost' : 'durable'
        }
        if (failsToSync) {
          reject(diskError('EIO'))
          return
        }
        file.isNameDurable = true
        resolve()
      })
    })
  }

  #losePower(file: StoredFile) {
    const bytes = bytesOf(file)
    const kept = Buffer.alloc(bytes.length)
    let begin = 0
    let durableEnd = 0
    for (const { bytes: piece, state } of file.pieces) {
      const end = begin + piece.length
      if (state === 'durable') durableEnd = end
      this.#keepSectors({ from: bytes, to: kept, begin, end, isSure: state === 'durable' })
      begin = end
    }
    const end = durableEnd + Math.floor(this.#random() * (bytes.length - durableEnd + 1))
    file.pieces = [{ bytes: kept.subarray(0, end), state: 'durable' }]
    file.isNameDurable = true
  }

  #keepSectors(part: { from: Buffer; to: Buffer; begin: number; end: number; isSure: boolean }) {
    let sector = part.begin
    while (sector < part.end) {
      const next = Math.min(part.end, (Math.floor(sector / SECTOR_BYTES) + 1) * SECTOR_BYTES)
      if (part.isSure || this.#chance()) part.from.copy(part.to, sector, sector, next)
      sector = next
    }
  }

  #lock(folder: string, process: Process): FolderLock | null {
    if (!this.#folders.has(folder)) throw diskError('ENOENT')
    if (this.#locks.has(folder)) return null
    const mine = { process }
    this.#locks.set(folder, mine)
    return {
      release: () => {
        if (this.#locks.get(folder) === mine) this.#locks.delete(folder)
      },
    }
  }

  #kill(process: Process) {
    process.isAlive = false
    this.#processes = this.#processes.filter((other) => other !== process)
    for (const [folder, holder] of this.#locks) {
      if (holder.process === process) this.#locks.delete(folder)
    }
  }

  #remove({ folder, name }: Place) {
    const file = this.#folders.get(folder)?.get(name)
    if (file === undefined) return
    this.#folders.get(folder)?.delete(name)
    this.#removed.push({ folder, name, file })
  }

  #rename(from: Place, to: Place) {
    const file = this.#folders.get(from.folder)?.get(from.name)
    if (file === undefined) return
    this.#folders.get(from.folder)?.delete(from.name)
    this.#folderOf(to.folder).set(to.name, file)
    this.#renamed.push({ from, to })
  }

  #folderOf(folder: string): Map<string, StoredFile> {
    const files = this.#folders.get(folder)
    if (files === undefined) throw diskError('ENOENT')
    return files
  }

  #fileAt(path: string): StoredFile {
    const { folder, name } = placeOf(path)
    const file = this.#folders.get(folder)?.get(name)
    if (file === undefined) throw diskError('ENOENT')
    return file
  }

  #chance(): boolean {
    return this.#random() < 0.5
  }
}

const diskError = (code: string) => Object.assign(new Error(code), { code })

const bytesOf = ({ pieces }: StoredFile): Buffer => Buffer.concat(pieces.map(({ bytes }) => bytes))

const durableFile = (bytes: Buffer): StoredFile => ({
  pieces: [{ bytes, state: 'durable' }],
  isNameDurable: true,
})

function placeOf(path: string): Place {
  const cut = path.lastIndexOf('/')
  return { folder: path.slice(0, cut), name: path.slice(cut + 1) }
}
