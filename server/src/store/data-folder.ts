import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const RUNS_MAX = 100
const SQLITE_BUSY = 5

/** The message names the folder and what to do. */
export class DataFolderInUseError extends Error {
  override readonly name = 'DataFolderInUseError'

  constructor(dataDir: string) {
    super(`DATA_DIR ${dataDir} is in use by another process. Stop it, or give this one its own.`)
  }
}

export type DataFolder = {
  /** Writes down a run of this process before it holds anything; returns the earlier ones. */
  addRun: (run: string) => string[]
  release: () => void
}

/** Takes the folder for this process until it ends, in whatever way. */
export function claimDataFolder(dataDir: string): DataFolder {
  mkdirSync(dataDir, { recursive: true })
  const lock = lockFolder(dataDir)
  return {
    addRun: (run) => {
      const earlier = readRuns(dataDir)
      writeRuns(dataDir, [...earlier, run].slice(-RUNS_MAX))
      return earlier
    },
    release: () => lock.close(),
  }
}

/** Node has no flock; the system frees the lock of an SQLite transaction even at kill −9. */
function lockFolder(dataDir: string): DatabaseSync {
  const lock = new DatabaseSync(join(dataDir, 'lock'), { timeout: 0 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock.close()
    const isBusy = error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
    throw isBusy ? new DataFolderInUseError(dataDir) : error
  }
}

const runsFile = (dataDir: string) => join(dataDir, 'runs')

function readRuns(dataDir: string): string[] {
  try {
    return readFileSync(runsFile(dataDir), 'utf8')
      .split('\n')
      .filter((run) => run !== '')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

/** As a whole or not at all, also when the power fails. */
function writeRuns(dataDir: string, runs: readonly string[]) {
  const draft = `${runsFile(dataDir)}.new`
  const file = openSync(draft, 'w')
  try {
    writeSync(file, runs.map((run) => `${run}\n`).join(''))
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(draft, runsFile(dataDir))
}
