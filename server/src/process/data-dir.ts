import { randomBytes } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { ConfigurationError } from './env.ts'

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
    const createdFolder = mkdirSync(dataDir, { recursive: true, mode: OWNER_ONLY_FOLDER })
    if (createdFolder !== undefined)
      undo.push(() => rmSync(createdFolder, { recursive: true, force: true }))
    accessSync(dataDir, constants.W_OK | constants.X_OK)
    closeToOthers(dataDir)
    return { masterKey: secretKey ?? readOrMakeSecret(dataDir, undo), undo: undoAll }
  } catch (error) {
    undoAll()
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigurationError(`DATA_DIR ${dataDir} cannot be written: ${reason}.`)
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
  if (existsSync(file)) return readFileSync(file, 'utf8').trim()
  const secret = randomBytes(SECRET_BYTES).toString('hex')
  writeFileSync(file, `${secret}\n`, { mode: OWNER_ONLY, flag: 'wx' })
  undo.push(() => rmSync(file, { force: true }))
  return secret
}
