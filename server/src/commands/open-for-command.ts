import { existsSync } from 'node:fs'
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
  if (DATABASE_URL === undefined && !existsSync(join(DATA_DIR, SQLITE_FILE))) {
    throw new ConfigurationError(`DATA_DIR ${DATA_DIR} holds no database.`)
  }
  return openDatabase({ databaseUrl: DATABASE_URL, dataDir: DATA_DIR, ...options })
}

/** One line for the person who ran the command. */
export function reasonOf(error: unknown): string {
  // For a name with several addresses, the error has one inner error per address and no message.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  return first instanceof Error ? first.message || first.name : String(first)
}
