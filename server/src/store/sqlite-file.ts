import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { SQLITE_FILE } from './database.ts'

/**
 * Whether the database file was copied without its write-ahead log, in which SQLite keeps recent
 * writes. A young database has all its tables there.
 */
export function lacksItsWal(dataDir: string): boolean {
  const file = join(dataDir, SQLITE_FILE)
  if (!existsSync(file) || statSync(file).size === 0 || existsSync(`${file}-wal`)) return false
  const database = new DatabaseSync(file)
  try {
    return database.prepare('SELECT 1 FROM sqlite_master LIMIT 1').get() === undefined
  } finally {
    database.close()
  }
}
