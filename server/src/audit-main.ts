import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigurationError, type Env, readEnv } from './env.ts'
import { audit, countAccounts } from './ledger/audit.ts'
import { type Database, openDatabase, SQLITE_FILE } from './store/database.ts'

const DIFFERENT = 1
const NOT_AUDITED = 2
/** A sum over every row of a large log takes its time, and nobody waits for it. */
const STATEMENT_TIMEOUT_MS = 3_600_000

async function main() {
  const database = await connect(readEnv(process.env))
  try {
    const accounts = await countAccounts(database)
    const differences = await audit(database)
    for (const { where, what, found, expected } of differences) {
      console.log(`${where}: ${what}: stored ${found}, computed ${expected}`)
    }
    const count = differences.length === 0 ? 'no' : differences.length
    console.log(`audit: ${accounts} accounts, ${count} differences`)
    if (differences.length > 0) process.exitCode = DIFFERENT
  } finally {
    await database.close()
  }
}

/** The folder is not claimed, so that a running server can be audited. */
async function connect({ DATABASE_URL, DATA_DIR }: Env): Promise<Database> {
  if (DATABASE_URL === undefined && !existsSync(join(DATA_DIR, SQLITE_FILE))) {
    throw new ConfigurationError(`DATA_DIR ${DATA_DIR} holds no database.`)
  }
  return openDatabase({
    databaseUrl: DATABASE_URL,
    dataDir: DATA_DIR,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  })
}

function reasonOf(error: unknown): string {
  // A name with several addresses fails with an error per address, and no message of its own.
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error
  return first instanceof Error ? first.message || first.name : String(first)
}

main().catch((error: unknown) => {
  console.error(`audit: could not be done: ${reasonOf(error)}`)
  process.exitCode = NOT_AUDITED
})
