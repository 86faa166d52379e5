import { parseArgs } from 'node:util'
import { openBesideServer, reasonOf } from './beside-server.ts'
import { readEnv } from './env.ts'
import { audit, countAccounts } from './ledger/audit.ts'
import { journalFolder } from './ledger/journal/run-files.ts'
import { openFaults, resolveFaults } from './ledger/resolve-faults.ts'
import type { Database } from './store/database.ts'

const DIFFERENT = 1
const NOT_AUDITED = 2
/** A sum over every row of a large log takes its time, and nobody waits for it. */
const STATEMENT_TIMEOUT_MS = 3_600_000

const RECORD_SHOWN_MAX = 2000

async function main() {
  const { values } = parseArgs({ options: { resolve: { type: 'string' } } })
  const env = readEnv(process.env)
  const database = await openBesideServer(env, {
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  })
  try {
    if (values.resolve !== undefined) await resolve(database, values.resolve)
    const accounts = await countAccounts(database)
    const differences = await audit(database, journalFolder(env.DATA_DIR))
    for (const { where, what, found, expected } of differences) {
      console.log(`${where}: ${what}: stored ${found}, computed ${expected}`)
    }
    await printFaults(database)
    console.log(`audit: users and tokens: ${accounts}, differences: ${differences.length}`)
    if (differences.length > 0) process.exitCode = DIFFERENT
  } finally {
    await database.close()
  }
}

async function resolve(database: Database, run: string) {
  const nowSeconds = Math.floor(Date.now() / 1000)
  const resolved = await resolveFaults(database, { run, nowSeconds })
  console.log(`audit: faults of run ${run} resolved: ${resolved}`)
}

/** What stands in them says who was to be charged what. */
async function printFaults(database: Database) {
  for (const { run, position, record, error, created_at } of await openFaults(database)) {
    const when = new Date(created_at * 1000).toISOString()
    console.log(`fault of run ${run} at ${position}, ${when}: ${error}`)
    console.log(`  ${record.slice(0, RECORD_SHOWN_MAX)}`)
  }
}

main().catch((error: unknown) => {
  console.error(`audit: could not be done: ${reasonOf(error)}`)
  process.exitCode = NOT_AUDITED
})
