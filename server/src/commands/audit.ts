import { openFaults, resolveFaults } from '../ledger/apply/resolve-faults.ts'
import { audit, countAccounts } from '../ledger/audit/audit.ts'
import { journalFolder } from '../ledger/journal/epoch-files.ts'
import { readEnv } from '../process/env.ts'
import type { Database } from '../store/database.ts'
import { invocation } from './invocation.ts'
import { openForCommand, reasonOf } from './open-for-command.ts'
import { parseCommand } from './parse-command.ts'

const DIFFERENT = 1
const NONE_RESOLVED = 1
const NOT_AUDITED = 2
/** A sum over every row of a large log takes long, and no request waits for it. */
const STATEMENT_TIMEOUT_MS = 3_600_000

const RECORD_SHOWN_MAX = 2000

type Fault = Awaited<ReturnType<typeof openFaults>>[number]

async function main() {
  const use = `use: ${invocation('audit', '[--resolve EPOCH]')}`
  const { values } = parseCommand(use, { options: { resolve: { type: 'string' } } })
  const env = readEnv(process.env)
  const database = await openForCommand(env, {
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  })
  try {
    if (values.resolve !== undefined && !(await resolve(database, values.resolve))) return
    const accounts = await countAccounts(database)
    const differences = await audit(database, journalFolder(env.DATA_DIR))
    for (const { where, what, found, expected } of differences) {
      console.log(`${where}: ${what}: stored ${found}, computed ${expected}`)
    }
    for (const fault of await openFaults(database)) console.log(textOf(fault))
    console.log(`audit: users and tokens: ${accounts}, differences: ${differences.length}`)
    if (differences.length > 0) process.exitCode = DIFFERENT
  } finally {
    await database.close()
  }
}

/** False if the epoch has no fault to resolve; its name may be mistyped. */
async function resolve(database: Database, epoch: string): Promise<boolean> {
  const nowSeconds = Math.floor(Date.now() / 1000)
  const faults = await resolveFaults(database, { epoch, nowSeconds })
  if (faults.length === 0) {
    console.error(`audit: prints no fault of epoch ${epoch}, so none was resolved`)
    process.exitCode = NONE_RESOLVED
    return false
  }
  for (const fault of faults) console.log(`resolved: ${textOf(fault)}`)
  console.log(`audit: faults resolved: ${faults.length}`)
  return true
}

/** Includes the record, which says who was to be charged what. */
const textOf = ({ run: epoch, position, record, error, created_at }: Fault) =>
  `fault of epoch ${epoch} at ${position}, ${new Date(created_at * 1000).toISOString()}: ${error}
  ${record.slice(0, RECORD_SHOWN_MAX)}`

main().catch((error: unknown) => {
  console.error(`audit: could not be done: ${reasonOf(error)}`)
  process.exitCode = NOT_AUDITED
})
