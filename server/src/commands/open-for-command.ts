import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'
import { createForOwnerOnly } from '../process/data-dir.ts'
import { ConfigurationError, type Env } from '../process/env.ts'
import { type Database, openDatabase, SQLITE_FILE } from '../store/database.ts'

/**
 * Opens the database for a command. Does not claim the folder, so that the command can run while
 * the server runs.
 */
export async function openForCommand(
  { DATABASE_URL, DATA_DIR }: Env,
  options: { statementTimeoutMs?: number; migrates?: boolean } = {},
): Promise<Database> {
  // SQLite creates further files next to the database.
  createForOwnerOnly()
  if (DATABASE_URL === undefined) requireDatabaseFile(DATA_DIR)
  return openDatabase({ databaseUrl: DATABASE_URL, dataDir: DATA_DIR, ...options })
}

/** Throws a ConfigurationError if the folder has no database, or hides it from this user. */
export function requireDatabaseFile(dataDir: string) {
  try {
    accessSync(join(dataDir, SQLITE_FILE), constants.R_OK)
  } catch (error) {
    const isHidden = error instanceof Error && 'code' in error && error.code === 'EACCES'
    throw new ConfigurationError(
      isHidden
        ? `DATA_DIR ${dataDir} is closed to this user; run the command as the user of the server.`
        : `DATA_DIR ${dataDir} holds no database.`,
    )
  }
}

/** One line for the person who ran the command. */
export function reasonOf(error: unknown): string {
  // For a name with several addresses, the error has one inner error per address and no message.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  return first instanceof Error ? first.message || first.name : String(first)
}
