import { copyFileSync, existsSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseFileName } from '../ledger/journal/file-name.ts'
import { createForOwnerOnly, readSecretKey } from '../process/data-dir.ts'
import { ConfigurationError, readEnv } from '../process/env.ts'
import { deriveSecrets } from '../secrets.ts'
import { claimDataFolder } from '../store/data-folder.ts'
import { SQLITE_FILE } from '../store/database.ts'
import {
  readFiles,
  readSummary,
  removeFiles,
  SECRET_KEY_FILE,
  type Summary,
} from './backup/backup-file.ts'
import { describeBackup } from './backup/describe.ts'
import { syncPath } from './backup/sync-path.ts'
import { invocation } from './invocation.ts'
import { reasonOf } from './open-for-command.ts'
import { parseCommand } from './parse-command.ts'

const JOURNAL_PATH = /^journal\/[\w-]{1,64}\/(?<name>[\w.]+)$/
const DATABASE_FILES = [SQLITE_FILE, `${SQLITE_FILE}-wal`, `${SQLITE_FILE}-shm`]

type Task = {
  dataDir: string
  file: string
  secretKey: string | undefined
  /** Moves a database that is there aside. */
  replace: boolean
  /** Moves journals that are there aside, so that their charges are not applied. */
  withoutJournals: boolean
}

function main() {
  const use = `use: ${invocation('restore', 'FILE [--replace] [--without-newer-charges]')}`
  const { values, positionals } = parseCommand(use, {
    options: {
      replace: { type: 'boolean', default: false },
      'without-newer-charges': { type: 'boolean', default: false },
    },
    allowPositionals: true,
  })
  const [name, ...others] = positionals
  if (name === undefined || others.length > 0) {
    throw new ConfigurationError(use)
  }
  createForOwnerOnly()
  const env = readEnv(process.env)
  if (env.DATABASE_URL !== undefined) {
    throw new ConfigurationError('DATABASE_URL is set: restore PostgreSQL with pg_restore.')
  }
  const file = resolve(name)
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) throw new ConfigurationError(`${file} does not exist.`)
  if (!found.isFile()) throw new ConfigurationError(`${file} is not a file.`)
  const summary = restore({
    dataDir: env.DATA_DIR,
    file,
    secretKey: env.SECRET_KEY,
    replace: values.replace,
    withoutJournals: values['without-newer-charges'],
  })
  console.log(`restore: ${env.DATA_DIR} holds ${describeBackup(summary, statSync(file).size)}`)
  console.log(`restore: start the server, then run ${invocation('audit')}`)
}

function restore(task: Task): Summary {
  const { dataDir, file } = task
  const summary = readSummary(file)
  const folder = claimDataFolder(dataDir)
  try {
    checkTarget(task)
    const key = missingSecretKey(task, summary.fingerprint)
    const part = join(dataDir, `${SQLITE_FILE}.restoring`)
    copyFileSync(file, part)
    removeFiles(part)
    syncPath(part)
    moveAside(task)
    writeJournals(dataDir, file)
    if (key !== undefined) writeFileSync(join(dataDir, SECRET_KEY_FILE), key)
    renameSync(part, join(dataDir, SQLITE_FILE))
    syncPath(dataDir)
    return summary
  } finally {
    folder.release()
  }
}

function checkTarget({ dataDir, replace }: Task) {
  if (replace || !DATABASE_FILES.some((name) => existsSync(join(dataDir, name)))) return
  throw new ConfigurationError(
    `DATA_DIR ${dataDir} has a database; --replace keeps it under another name.`,
  )
}

/**
 * The secret key that the folder still needs; undefined if it has one. Only the key that the
 * database was written with can open it.
 */
function missingSecretKey({ dataDir, file, secretKey }: Task, fingerprint: string) {
  const stored = join(dataDir, SECRET_KEY_FILE)
  const own = secretKey ?? (existsSync(stored) ? readSecretKey(stored) : undefined)
  if (own === undefined) return backedUpKey(file, stored)
  if (deriveSecrets(own).fingerprint === fingerprint) return undefined
  const where = secretKey === undefined ? stored : 'SECRET_KEY'
  throw new ConfigurationError(`${where} is not the key this backup was written with.`)
}

function backedUpKey(file: string, target: string): Uint8Array {
  for (const { path, content } of readFiles(file)) if (path === SECRET_KEY_FILE) return content
  throw new ConfigurationError(
    `the backup does not contain the secret key; put it into ${target} or SECRET_KEY first.`,
  )
}

/** Nothing is deleted, so that a restore by mistake can be undone. */
function moveAside({ dataDir, withoutJournals }: Task) {
  const suffix = `before-restore-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`
  const names = withoutJournals ? [...DATABASE_FILES, 'journal'] : DATABASE_FILES
  for (const name of names) {
    const path = join(dataDir, name)
    if (!existsSync(path)) continue
    renameSync(path, `${path}.${suffix}`)
    console.log(`restore: moved ${name} to ${name}.${suffix}`)
  }
}

/**
 * A journal file that is there is kept if it is longer, because the server only appends to these
 * files. Records that are found twice are applied once.
 */
function writeJournals(dataDir: string, file: string) {
  for (const { path, content } of readFiles(file)) {
    const name = JOURNAL_PATH.exec(path)?.groups?.['name']
    if (name === undefined || parseFileName(name) === null) continue
    const target = join(dataDir, path)
    if (existsSync(target) && statSync(target).size >= content.length) continue
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, content, { flush: true })
    syncPath(dirname(target))
  }
}

try {
  main()
} catch (error) {
  console.error(`restore: could not be done: ${reasonOf(error)}`)
  process.exitCode = 1
}
