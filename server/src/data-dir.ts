import { randomBytes } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { ConfigurationError } from './env.ts'

const SECRET_BYTES = 32
const OWNER_ONLY = 0o600

export type DataDir = {
  masterKey: string
  /** Removes what this start has created, because the start has failed. */
  undo: () => void
}

/** Makes sure the folder is there and writable, and that it holds a secret key unless one is given. */
export function prepareDataDir(dataDir: string, secretKey: string | undefined): DataDir {
  const undo: (() => void)[] = []
  const back = () => undo.toReversed().forEach((step) => step())
  try {
    const made = mkdirSync(dataDir, { recursive: true })
    if (made !== undefined) undo.push(() => rmSync(made, { recursive: true, force: true }))
    accessSync(dataDir, constants.W_OK | constants.X_OK)
    return { masterKey: secretKey ?? readOrMakeSecret(dataDir, undo), undo: back }
  } catch (error) {
    back()
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigurationError(`DATA_DIR ${dataDir} cannot be written: ${reason}.`)
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
