import { NEVER, ROLE, TOKEN_STATUS, USER_STATUS } from '@tollgate/contract'
import { createPasswords } from '../http/password.ts'
import { createCredits } from '../ledger/balances/credit.ts'
import { journalFolder } from '../ledger/journal/epoch-files.ts'
import { fileDisk } from '../ledger/journal/file-disk.ts'
import { listEpochs } from '../ledger/journal/reader.ts'
import { newInviteCode, type Secrets } from '../secrets.ts'
import type { Database, Tx } from '../store/database.ts'
import { type StoredOption, writeOption } from '../store/options.ts'
import { insertToken } from '../store/tokens.ts'
import { hasUsers, insertUser } from '../store/users.ts'
import { ConfigurationError, type Env } from './env.ts'
import { assertFingerprint, FINGERPRINT } from './secret-key-check.ts'

const ROOT_QUOTA = 500_000_000_000_000

/** Options that differ from their default in new installations only. */
const FIRST_OPTIONS: readonly StoredOption[] = [
  { key: 'UnknownModelStatus', value: '404' },
  { key: 'DefaultModelRatio', value: 'null' },
]

type SeedDeps = {
  database: Database
  secrets: Secrets
  env: Pick<
    Env,
    'DATA_DIR' | 'INITIAL_ROOT_PASSWORD' | 'INITIAL_ROOT_TOKEN' | 'INITIAL_ROOT_ACCESS_TOKEN'
  >
  now: () => number
}

/**
 * Creates the first user in an empty database; false if there are users. Throws a
 * ConfigurationError for a database that was written with another secret key, and for an empty
 * database next to journals, which belong to a database that is lost.
 */
export async function seed(deps: SeedDeps): Promise<boolean> {
  return deps.database.transaction(async (tx) => {
    await claim(tx, deps)
    if (await hasUsers(tx)) return false
    assertNoJournals(deps.env.DATA_DIR)
    await insertRoot(tx, deps)
    for (const row of FIRST_OPTIONS) await writeOption(tx, row)
    return true
  })
}

/**
 * Serializes processes that start at once: the first to insert the row proceeds, and the others
 * wait.
 */
async function claim(tx: Tx, { database, secrets }: SeedDeps) {
  await tx
    .insertInto('meta')
    .values({ name: FINGERPRINT, value: secrets.fingerprint })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { value } = await tx
    .selectFrom('meta')
    .select('value')
    .where('name', '=', FINGERPRINT)
    .$if(database.kind === 'postgres', (query) => query.forUpdate())
    .executeTakeFirstOrThrow()
  assertFingerprint(value, secrets)
}

function assertNoJournals(dataDir: string) {
  const folder = journalFolder(dataDir)
  if (listEpochs(fileDisk, folder).length === 0) return
  throw new ConfigurationError(
    `the database is empty, but ${folder} has charges of another database; restore that database, or move the folder away.`,
  )
}

async function insertRoot(tx: Tx, { database, secrets, env, now }: SeedDeps) {
  const created_time = Math.floor(now() / 1000)
  const accessToken = env.INITIAL_ROOT_ACCESS_TOKEN
  const id = await insertUser(tx, {
    username: 'root',
    password_hash: await createPasswords().hash(env.INITIAL_ROOT_PASSWORD),
    display_name: 'Root User',
    role: ROLE.root,
    status: USER_STATUS.enabled,
    email: '',
    github_id: '',
    wechat_id: '',
    access_token_hash: accessToken === undefined ? null : secrets.hashAccessToken(accessToken),
    group: 'default',
    aff_code: newInviteCode(),
    inviter_id: 0,
    created_time,
  })
  const outcome = await createCredits({ database, now }).credit(tx, {
    kind: 'user',
    ownerId: id,
    amount: ROOT_QUOTA,
    reason: 'first user',
    source: 'seed:root',
    actorId: id,
  })
  if (outcome.type !== 'booked') throw new Error(`the first balance is ${outcome.type}`)
  const key = env.INITIAL_ROOT_TOKEN
  if (key === undefined) return
  await insertToken(tx, {
    user_id: id,
    key_hash: secrets.hashRelayKey(key),
    key_sealed: secrets.sealRelayKey(key),
    status: TOKEN_STATUS.enabled,
    name: 'Initial Root Token',
    created_time,
    expired_time: NEVER,
    unlimited_quota: 1,
    models: '',
    subnet: '',
  })
}
