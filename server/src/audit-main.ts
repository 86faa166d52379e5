import { openBesideServer, reasonOf } from './beside-server.ts'
import { readEnv } from './env.ts'
import { audit, countAccounts } from './ledger/audit.ts'

const DIFFERENT = 1
const NOT_AUDITED = 2
/** A sum over every row of a large log takes its time, and nobody waits for it. */
const STATEMENT_TIMEOUT_MS = 3_600_000

async function main() {
  const database = await openBesideServer(readEnv(process.env), {
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  })
  try {
    const accounts = await countAccounts(database)
    const differences = await audit(database)
    for (const { where, what, found, expected } of differences) {
      console.log(`${where}: ${what}: stored ${found}, computed ${expected}`)
    }
    console.log(`audit: users and tokens: ${accounts}, differences: ${differences.length}`)
    if (differences.length > 0) process.exitCode = DIFFERENT
  } finally {
    await database.close()
  }
}

main().catch((error: unknown) => {
  console.error(`audit: could not be done: ${reasonOf(error)}`)
  process.exitCode = NOT_AUDITED
})
