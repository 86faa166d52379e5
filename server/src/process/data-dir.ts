import { randomBytes } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { ConfigurationError, SECRET_LENGTH_MIN } from './env.ts'
import { makeFolder } from './make-folder.ts'

const SECRET_BYTES = 32
const OWNER_ONLY = 0o600
const OWNER_ONLY_FOLDER = 0o700
const FOR_OTHERS = 0o077
/**
 * Files that only this server writes. A folder that contains one of them, or nothing, belongs to
 * the server.
 */
const OWN_FILES = ['tollgate.db', 'secret-key', 'journal']
const DATABASE_FILES = ['tollgate.db', 'tollgate.db-wal', 'tollgate.db-shm']

/**
 * Hides files that this process creates from other users of the machine: the database holds
 * password hashes and email addresses.
 */
export const createForOwnerOnly = () => process.umask(FOR_OTHERS)

export type DataDir = {
  masterKey: string
  /** Removes everything that this start created. Call it if the start fails. */
  undo: () => void
}

/**
 * Ensures that the folder exists and is writable, and that it has a secret key unless `secretKey`
 * is given.
 */
export function prepareDataDir(dataDir: string, secretKey: string | undefined): DataDir {
  const undo: (() => void)[] = []
  const undoAll = () => undo.toReversed().forEach((step) => step())
  try {
    const createdFolder = makeFolder(dataDir, OWNER_ONLY_FOLDER)
    if (createdFolder !== undefined)
      undo.push(() => rmSync(createdFolder, { recursive: true, force: true }))
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
    requireUsable(dataDir)
    closeToOthers(dataDir)
    return { masterKey: secretKey ?? readOrMakeSecret(dataDir, undo), undo: undoAll }
  } catch (error) {
    undoAll()
    if (error instanceof ConfigurationError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigurationError(`DATA_DIR ${dataDir} cannot be written: ${reason}.`)
  }
}

/** Files that another user wrote, such as root in an earlier start, would fail later. */
function requireUsable(dataDir: string) {
  const folder = join(dataDir, 'journal')
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) {
    throw new ConfigurationError(`${folder} must be a folder; move the file away.`)
  }
  for (const name of ['secret-key', 'lock', 'journal', ...DATABASE_FILES]) {
    const path = join(dataDir, name)
    if (existsSync(path)) accessSync(path, constants.R_OK | constants.W_OK)
  }
}

/**
 * Earlier versions made the folder and the database readable by everyone. A folder that has other
 * content, or belongs to another user, keeps its mode.
 */
function closeToOthers(dataDir: string) {
  const names = readdirSync(dataDir)
  const isOwn = names.length === 0 || OWN_FILES.some((name) => names.includes(name))
  if (!isOwn || statSync(dataDir).uid !== process.getuid?.()) return
  chmodSync(dataDir, OWNER_ONLY_FOLDER)
  for (const name of DATABASE_FILES) {
    if (names.includes(name)) chmodSync(join(dataDir, name), OWNER_ONLY)
  }
}

function readOrMakeSecret(dataDir: string, undo: (() => void)[]): string {
  const file = join(dataDir, 'secret-key')
  if (existsSync(file)) return readSecretKey(file)
  const secret = randomBytes(SECRET_BYTES).toString('hex')
  // A file that a power cut left empty would lock the database that was written with its key.
  writeFileSync(file, `${secret}\n`, { mode: OWNER_ONLY, flag: 'wx', flush: true })
  undo.push(() => rmSync(file, { force: true }))
  return secret
}

/** Throws a ConfigurationError for a file that was cut or emptied. */
export function readSecretKey(file: string): string {
  const secret = readFileSync(file, 'utf8').trim()
  if (secret.length >= SECRET_LENGTH_MIN) return secret
  throw new ConfigurationError(
    `${file} must have at least ${SECRET_LENGTH_MIN} characters; restore it from its backup, or delete it if the database is new.`,
  )
}
