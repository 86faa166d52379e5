import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { FolderLock } from './disk.ts'

const SQLITE_BUSY = 5

/**
 * Locks an epoch's folder. Null while another process holds the lock. Node has no flock, but the
 * system frees the lock of an SQLite transaction even at kill −9. No other code of this process may
 * open the file: closing it would free the lock.
 */
export function lockEpoch(folder: string): FolderLock | null {
  const lock = new DatabaseSync(join(folder, 'lock'), { timeout: 0 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return { release: () => lock.close() }
  } catch (error) {
    lock.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return null
    throw error
  }
}
