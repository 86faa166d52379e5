import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createForOwnerOnly } from './data-dir.ts'
import { ConfigurationError, type Env } from './env.ts'
import { type Database, openDatabase, SQLITE_FILE } from './store/database.ts'

/** For commands: the folder is not claimed, so that they can run beside the server. */
export async function openBesideServer(
  { DATABASE_URL, DATA_DIR }: Env,
  limits: { statementTimeoutMs?: number } = {},
): Promise<Database> {
  // SQLite makes files of its own beside the database.
  createForOwnerOnly()
  if (DATABASE_URL === undefined && !existsSync(join(DATA_DIR, SQLITE_FILE))) {
    throw new ConfigurationError(`DATA_DIR ${DATA_DIR} holds no database.`)
  }
  return openDatabase({ databaseUrl: DATABASE_URL, dataDir: DATA_DIR, ...limits })
}

/** One line for whoever typed the command. */
export function reasonOf(error: unknown): string {
  // A name with several addresses fails with an error per address, and no message of its own.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  return first instanceof Error ? first.message || first.name : String(first)
}
