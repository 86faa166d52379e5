import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const SQLITE_BUSY = 5

export class DataFolderError extends Error {
  override readonly name: string = 'DataFolderError'
}

export class DataFolderInUseError extends DataFolderError {
  override readonly name = 'DataFolderInUseError'

  constructor(dataDir: string) {
    super(`DATA_DIR ${dataDir} is in use by another process. Stop it, or give this one its own.`)
  }
}

export type DataFolder = { release: () => void }

/** Claims the folder for this process until it exits or crashes. */
export function claimDataFolder(dataDir: string): DataFolder {
  mkdirSync(dataDir, { recursive: true })
  const lock = lockFolder(dataDir)
  return { release: () => lock.close() }
}

/**
 * Node has no flock. The operating system frees the lock of an SQLite transaction even after `kill
 * -9`.
 */
function lockFolder(dataDir: string): DatabaseSync {
  const file = join(dataDir, 'lock')
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(file, { timeout: 0 })
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock?.close()
    const isBusy = error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
    if (isBusy) throw new DataFolderInUseError(dataDir)
    const reason = error instanceof Error ? error.message : String(error)
    throw new DataFolderError(`${file} cannot be locked: ${reason}.`)
  }
}
