import { existsSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Kysely, sql } from 'kysely'
import { fileDisk } from '../ledger/journal/file-disk.ts'
import { createForOwnerOnly } from '../process/data-dir.ts'
import { ConfigurationError, type Env, readEnv } from '../process/env.ts'
import { SQLITE_FILE } from '../store/database.ts'
import type { Schema } from '../store/schema.ts'
import { sqliteDialect } from '../store/sqlite-dialect.ts'
import { addFiles, type BackedUpFile, readSummary, SECRET_KEY_FILE } from './backup/backup-file.ts'
import { describeBackup } from './backup/describe.ts'
import { JournalCopy } from './backup/journal-copy.ts'
import { syncPath } from './backup/sync-path.ts'
import { invocation } from './invocation.ts'
import { reasonOf, requireDatabaseFile } from './open-for-command.ts'
import { parseCommand } from './parse-command.ts'

const NEW_FILES_PAUSE_MS = 1000

async function main() {
  const use = `use: ${invocation('backup', 'FILE [--with-secret-key]')}`
  const { values, positionals } = parseCommand(use, {
    options: { 'with-secret-key': { type: 'boolean', default: false } },
    allowPositionals: true,
  })
  const [name, ...others] = positionals
  if (name === undefined || others.length > 0) {
    throw new ConfigurationError(use)
  }
  createForOwnerOnly()
  const env = readEnv(process.env)
  const file = resolve(name)
  checkPlaces(env, file)
  const withSecretKey = values['with-secret-key']
  await backUp({ dataDir: env.DATA_DIR, file, secretKey: withSecretKey ? readKey(env) : undefined })
  const { size } = statSync(file)
  console.log(`backup: ${file} holds ${describeBackup(readSummary(file), size)}`)
  console.log(
    withSecretKey
      ? 'backup: it contains the secret key: whoever reads the file can read every key in it'
      : 'backup: it does not contain the secret key; keep that in another place',
  )
}

function checkPlaces({ DATABASE_URL, DATA_DIR }: Env, file: string) {
  if (DATABASE_URL !== undefined) {
    throw new ConfigurationError(
      'DATABASE_URL is set: back PostgreSQL up with pg_dump, and the folder DATA_DIR after it.',
    )
  }
  requireDatabaseFile(DATA_DIR)
  if (!existsSync(dirname(file))) {
    throw new ConfigurationError(`the folder ${dirname(file)} does not exist.`)
  }
  requireNewName(file)
}

function requireNewName(file: string) {
  if (existsSync(file)) throw new ConfigurationError(`${file} exists; choose another name.`)
}

type Task = { dataDir: string; file: string; secretKey: Buffer | undefined }

const readKey = ({ SECRET_KEY, DATA_DIR }: Env): Buffer =>
  SECRET_KEY === undefined ? readFileSync(join(DATA_DIR, SECRET_KEY_FILE)) : Buffer.from(SECRET_KEY)

/** The file has its name only once it is complete and on the disk. */
async function backUp({ dataDir, file, secretKey }: Task) {
  // Two backups to the same name must not write into each other's file.
  const part = `${file}.${process.pid}.part`
  rmSync(part, { force: true })
  const journals = new JournalCopy(fileDisk, dataDir)
  const looking = setInterval(() => journals.openNewFiles(), NEW_FILES_PAUSE_MS)
  try {
    journals.openNewFiles()
    await copyDatabase(join(dataDir, SQLITE_FILE), part)
    journals.openNewFiles()
    addFiles(part, filesOf(journals, secretKey))
    syncPath(part)
    requireNewName(file)
    renameSync(part, file)
    syncPath(dirname(file))
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  } finally {
    clearInterval(looking)
    journals.close()
  }
}

/**
 * `VACUUM INTO` copies the state of one moment and does not block the server's writes. SQLite's
 * backup call starts again at each write of another process.
 */
async function copyDatabase(from: string, to: string) {
  const kysely = new Kysely<Schema>({ dialect: sqliteDialect(from) })
  try {
    await sql`vacuum into ${to}`.execute(kysely)
  } finally {
    await kysely.destroy()
  }
}

function* filesOf(journals: JournalCopy, secretKey: Buffer | undefined): Generator<BackedUpFile> {
  yield* journals.read()
  if (secretKey !== undefined) yield { path: SECRET_KEY_FILE, content: secretKey }
}

main().catch((error: unknown) => {
  console.error(`backup: could not be done: ${reasonOf(error)}`)
  process.exitCode = 1
})
