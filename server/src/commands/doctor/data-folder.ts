import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readSecretKey } from '../../process/data-dir.ts'
import { isLostWithContainer } from '../../process/data-volume.ts'
import { DataFolderInUseError, claimDataFolder } from '../../store/data-folder.ts'
import { lacksItsWal } from '../../store/sqlite-file.ts'
import { SECRET_KEY_FILE } from '../backup/backup-file.ts'
import { reasonOf } from '../open-for-command.ts'
import { bad, type Finding, ok, warning } from './finding.ts'

const FOR_OTHERS = 0o077
const FREE_BYTES_MIN = 1_000_000_000
const GB = 1_000_000_000

type Place = { DATA_DIR: string; SECRET_KEY?: string | undefined }

export function checkDataFolder({ DATA_DIR: folder, SECRET_KEY }: Place): Finding[] {
  if (!existsSync(folder)) {
    return [warning(`DATA_DIR ${folder} does not exist; the first start creates it`)]
  }
  const access = checkAccess(folder)
  if (access.state === 'bad') return [access]
  return [
    access,
    ...checkUse(folder),
    checkSpace(folder),
    ...checkVolume(folder),
    checkSecretKey(folder, SECRET_KEY),
    ...checkDatabaseFile(folder),
  ]
}

/** The secret key of the folder or the environment; undefined if there is none yet. */
export function secretKeyOf({ DATA_DIR, SECRET_KEY }: Place): string | undefined {
  const file = join(DATA_DIR, SECRET_KEY_FILE)
  return SECRET_KEY ?? (existsSync(file) ? readSecretKey(file) : undefined)
}

function checkAccess(folder: string): Finding {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return ok(`DATA_DIR ${folder} can be written`)
  } catch {
    return bad(`DATA_DIR ${folder} cannot be written by this user; run the server as its owner`)
  }
}

function checkUse(folder: string): Finding[] {
  try {
    claimDataFolder(folder).release()
    return [ok('no server uses the folder now')]
  } catch (error) {
    return error instanceof DataFolderInUseError ? [ok('a server uses the folder now')] : []
  }
}

function checkSpace(folder: string): Finding {
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  const text = `${(free / GB).toFixed(1)} GB free on the disk of DATA_DIR`
  return free < FREE_BYTES_MIN ? warning(`${text}; requests stop when it is full`) : ok(text)
}

const checkVolume = (folder: string): Finding[] =>
  isLostWithContainer(folder)
    ? [warning(`DATA_DIR ${folder} is lost when its container is removed: mount a volume there`)]
    : []

function checkSecretKey(folder: string, given: string | undefined): Finding {
  if (given !== undefined) return ok('SECRET_KEY is set')
  const file = join(folder, SECRET_KEY_FILE)
  if (!existsSync(file)) return warning('there is no secret key; the first start makes one')
  const isOpen = process.platform !== 'win32' && (statSync(file).mode & FOR_OTHERS) !== 0
  return isOpen
    ? bad(`other users of this machine can read ${file}: chmod 600 it`)
    : ok(`the secret key is in ${file}; back it up in another place`)
}

function checkDatabaseFile(folder: string): Finding[] {
  try {
    return lacksItsWal(folder)
      ? [bad(`the database in ${folder} was copied without tollgate.db-wal; restore a backup`)]
      : []
  } catch (error) {
    return [bad(`tollgate.db cannot be opened: ${reasonOf(error)}; restore a backup`)]
  }
}
