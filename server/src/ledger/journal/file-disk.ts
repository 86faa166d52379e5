import {
  closeSync,
  type Dirent,
  fstatSync,
  fsync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Disk, OpenFile } from './disk.ts'
import { lockEpoch } from './epoch-lock.ts'

const FOLDER_MODE = 0o700
const FILE_MODE = 0o600
/**
 * After a power cut, a synced file can be missing if its folder was not synced. Windows has no call
 * to sync a folder.
 */
const SYNCS_FOLDERS = process.platform !== 'win32'

const syncFile = promisify(fsync)

export const fileDisk: Disk = {
  makeFolder,
  listFolders: (path) => list(path, (entry) => entry.isDirectory()),
  listFiles: (path) => list(path, (entry) => entry.isFile()),
  read: (path) => readFile(path),
  create: (path) => new AppendedFile(path),
  rename,
  removeFile: (path) => rmSync(path, { force: true }),
  removeFolder: (path) => rmSync(path, { recursive: true, force: true }),
  lock: lockEpoch,
}

function makeFolder(path: string): boolean {
  const first = mkdirSync(path, { recursive: true, mode: FOLDER_MODE })
  if (first === undefined) return false
  const above = dirname(resolve(first))
  for (
    let current = resolve(path);
    current !== above && SYNCS_FOLDERS;
    current = dirname(current)
  ) {
    const folder = openSync(dirname(current), 'r')
    try {
      fsyncSync(folder)
    } finally {
      closeSync(folder)
    }
  }
  return true
}

function list(path: string, isWanted: (entry: Dirent) => boolean): string[] {
  try {
    const entries = readdirSync(path, { withFileTypes: true }).filter(isWanted)
    return entries.map(({ name }) => name).toSorted()
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

function rename(from: string, to: string) {
  try {
    renameSync(from, to)
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'

async function syncFolder(path: string): Promise<void> {
  if (!SYNCS_FOLDERS) return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

class AppendedFile implements OpenFile {
  readonly #path: string
  readonly #descriptor: number
  #isNameSynced = false
  #syncs = 0
  #isClosed = false

  constructor(path: string) {
    this.#path = path
    this.#descriptor = openSync(path, 'ax', FILE_MODE)
  }

  write(bytes: Buffer): number {
    return writeSync(this.#descriptor, bytes)
  }

  async sync(): Promise<void> {
    if (this.#isClosed) throw new Error(`${this.#path} is closed`)
    this.#syncs += 1
    try {
      await syncFile(this.#descriptor)
      if (!this.#isNameSynced) await syncFolder(dirname(this.#path))
      this.#isNameSynced = true
    } finally {
      this.#syncs -= 1
      if (this.#isClosed) this.#closeDescriptor()
    }
  }

  isLinked(): boolean {
    const named = statSync(this.#path, { throwIfNoEntry: false })
    const { dev, ino } = fstatSync(this.#descriptor)
    return named?.dev === dev && named.ino === ino
  }

  close() {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#closeDescriptor()
  }

  /** Not during a sync: the system may have given the descriptor to another file by then. */
  #closeDescriptor() {
    if (this.#syncs === 0) closeSync(this.#descriptor)
  }
}
