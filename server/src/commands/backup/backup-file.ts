import { accessSync, constants } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/**
 * A backup is one SQLite file: the database at one moment, and a table of the files that belong to
 * it. SQLite checks such a file, and every tool of SQLite opens it.
 */
const FILES_TABLE = 'backup_files'

/** Path of the secret key within a backup and within DATA_DIR. */
export const SECRET_KEY_FILE = 'secret-key'

class NoBackupError extends Error {
  override readonly name = 'NoBackupError'

  constructor(file: string) {
    super(`${file} is not a backup of Tollgate.`)
  }
}

/** A file relative to DATA_DIR, with `/` between folders. */
export type BackedUpFile = { path: string; content: Uint8Array }

/** Adds the files to a copy of the database. Afterwards the copy is one file without a WAL. */
export function addFiles(copy: string, files: Iterable<BackedUpFile>) {
  const database = new DatabaseSync(copy)
  try {
    database.exec(
      `PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL; BEGIN;
       CREATE TABLE ${FILES_TABLE} (path TEXT PRIMARY KEY, content BLOB NOT NULL) WITHOUT ROWID`,
    )
    const insert = database.prepare(`INSERT INTO ${FILES_TABLE} VALUES (?, ?)`)
    for (const { path, content } of files) insert.run(path, content)
    database.exec('COMMIT')
    assertIntact(database, copy)
  } finally {
    database.close()
  }
}

export type Counts = { users: number; tokens: number; logs: number }

/** What a backup contains, without the contents of its files. */
export type Summary = { fingerprint: string; counts: Counts; paths: string[] }

/** Reads a backup and checks that it is one and is not damaged. */
export function readSummary(file: string): Summary {
  const database = openBackup(file)
  try {
    assertIntact(database, file)
    const text = (sql: string) => String(Object.values(database.prepare(sql).get() ?? {})[0] ?? '')
    const count = (table: string) => Number(text(`SELECT count(*) FROM ${table}`))
    const paths = database.prepare(`SELECT path FROM ${FILES_TABLE} ORDER BY path`).all()
    return {
      fingerprint: text(`SELECT value FROM meta WHERE name = 'secret_key'`),
      counts: { users: count('users'), tokens: count('tokens'), logs: count('logs') },
      paths: paths.map(({ path }) => String(path)),
    }
  } finally {
    database.close()
  }
}

/** One file of a backup at a time, because journals can be large. */
export function* readFiles(file: string): Generator<BackedUpFile> {
  const database = openBackup(file)
  try {
    const rows = database.prepare(`SELECT path, content FROM ${FILES_TABLE} ORDER BY path`)
    for (const { path, content } of rows.iterate()) {
      if (content instanceof Uint8Array) yield { path: String(path), content }
    }
  } finally {
    database.close()
  }
}

/** Turns a copy of a backup back into a plain database. */
export function removeFiles(copy: string) {
  const database = new DatabaseSync(copy)
  try {
    database.exec(`PRAGMA synchronous = FULL; DROP TABLE ${FILES_TABLE}`)
  } finally {
    database.close()
  }
}

function openBackup(file: string): DatabaseSync {
  accessSync(file, constants.R_OK)
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    database.prepare(`SELECT 1 FROM ${FILES_TABLE}`).get()
    return database
  } catch {
    database.close()
    throw new NoBackupError(file)
  }
}

function assertIntact(database: DatabaseSync, file: string) {
  const found = Object.values(database.prepare('PRAGMA integrity_check(1)').get() ?? {})[0]
  if (found !== 'ok') throw new Error(`${file} is damaged: ${String(found)}`)
}
