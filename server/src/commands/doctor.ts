import { createForOwnerOnly } from '../process/data-dir.ts'
import { type Env, readEnv } from '../process/env.ts'
import { checkDataFolder, secretKeyOf } from './doctor/data-folder.ts'
import { checkDatabase } from './doctor/database.ts'
import { bad, type Finding, ok } from './doctor/finding.ts'
import { checkProviders } from './doctor/providers.ts'
import { checkRedis } from './doctor/redis.ts'
import { invocation } from './invocation.ts'
import { openForCommand, reasonOf } from './open-for-command.ts'
import { parseCommand } from './parse-command.ts'

const MARKS = { ok: 'ok     ', warning: 'warning', bad: 'BAD    ' } as const
const SECOND_MS = 1000

/** Prints what it finds, and exits with 1 if the server cannot work so. Changes nothing. */
async function main() {
  parseCommand(`use: ${invocation('doctor')}`, {})
  createForOwnerOnly()
  const env = readEnv(process.env)
  const findings = [
    ok('the environment variables are valid'),
    ...checkDataFolder(env),
    ...(await checkRedis(env.REDIS_URL)),
    ...(await checkStored(env)),
  ]
  for (const { state, text } of findings) console.log(`${MARKS[state]} ${text}`)
  const count = (wanted: Finding['state']) =>
    findings.filter(({ state }) => state === wanted).length
  console.log(`doctor: bad: ${count('bad')}, warnings: ${count('warning')}`)
  if (count('bad') > 0) process.exitCode = 1
}

async function checkStored(env: Env): Promise<Finding[]> {
  const now = Math.floor(Date.now() / SECOND_MS)
  try {
    const database = await openForCommand(env, { migrates: false })
    try {
      const [dataDir, secretKey] = [env.DATA_DIR, secretKeyOf(env)]
      return [
        ...(await checkDatabase({ database, dataDir, secretKey, now })),
        ...(await checkProviders(database)),
      ]
    } finally {
      await database.close()
    }
  } catch (error) {
    return [bad(`the database cannot be used: ${reasonOf(error)}`)]
  }
}

main().catch((error: unknown) => {
  console.error(`doctor: could not be done: ${reasonOf(error)}`)
  process.exitCode = 1
})
