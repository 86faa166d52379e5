import {
  firstProblem,
  parseIn,
  password as passwordRule,
  ROLE,
  USER_STATUS,
} from '@tollgate/contract'
import { createPasswords } from '../http/password.ts'
import { ConfigurationError, readEnv } from '../process/env.ts'
import { newPassword } from '../secrets.ts'
import type { Database } from '../store/database.ts'
import { deleteSecondFactors, hasSecondFactor } from '../store/second-factors.ts'
import { deleteSessionsOf } from '../store/sessions.ts'
import { updateUser } from '../store/users.ts'
import { invocation } from './invocation.ts'
import { openForCommand, reasonOf } from './open-for-command.ts'
import { parseCommand } from './parse-command.ts'

async function main() {
  const given = readPassword()
  const database = await openForCommand(readEnv(process.env))
  try {
    const password = given ?? newPassword()
    const { username, hadSecondFactor } = await resetRoot(database, password)
    const which = given === undefined ? `the password ${password}` : 'the password that was given'
    console.log(`reset-root: ${username} logs in with ${which}`)
    if (hadSecondFactor) {
      console.log(`reset-root: the second factors of ${username} were removed; set up new ones`)
    }
  } finally {
    await database.close()
  }
}

function readPassword(): string | undefined {
  const use = `use: ${invocation('reset-root', '[--password PASSWORD]')}`
  const { values } = parseCommand(use, { options: { password: { type: 'string' } } })
  if (values.password === undefined) return undefined
  const read = parseIn(passwordRule, values.password, 'en')
  if (read.success) return read.data
  const { problem } = firstProblem(read.error, 'en')
  throw new ConfigurationError(`--password is not valid: ${problem}`)
}

/** Also ends root's sessions and ban, and removes the access token and second factors. */
async function resetRoot(
  database: Database,
  password: string,
): Promise<{ username: string; hadSecondFactor: boolean }> {
  const password_hash = await createPasswords().hash(password)
  return database.change(async (tx) => {
    const root = await tx
      .selectFrom('users')
      .select(['id', 'username'])
      .where('role', '=', ROLE.root)
      .orderBy('id')
      .executeTakeFirst()
    if (!root) throw new ConfigurationError('this database has no super administrator.')
    const status = USER_STATUS.enabled
    await updateUser(tx, root.id, { password_hash, status, access_token_hash: null })
    const hadSecondFactor = await hasSecondFactor(tx, root.id)
    await deleteSecondFactors(tx, root.id)
    await deleteSessionsOf(tx, root.id)
    return { username: root.username, hadSecondFactor }
  })
}

main().catch((error: unknown) => {
  console.error(`reset-root: could not be done: ${reasonOf(error)}`)
  process.exitCode = 1
})
