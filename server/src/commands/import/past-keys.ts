import { NEVER, TOKEN_STATUS } from '@tollgate/contract'
import type { Database, Tx } from '../../store/database.ts'
import { executeAll } from '../../store/execute-all.ts'
import type { ImportContext } from './context.ts'
import { chooseIds, continueIds, type Known, type KnownRows } from './known-rows.ts'
import type { LogOwners } from './log-owners.ts'
import { insertTokens } from './write-tokens.ts'

/** Keys for use whose keys are gone, for the users who have none yet. */
export async function newPastKeys(
  database: Pick<Database, 'kysely' | 'kind'>,
  userIds: readonly string[],
  pastKeys: KnownRows,
): Promise<Map<string, Known>> {
  const missing = userIds.filter((userId) => pastKeys.get(userId) === undefined)
  const ids = await chooseIds(
    database,
    'tokens',
    missing.map(() => ''),
  )
  const rows = missing.map((userId, index) => {
    const row = { new_id: ids[index] ?? 0, digest: '', quota: 0, used: 0, requests: 0 }
    return [userId, row] as const
  })
  return new Map(rows)
}

/** A deleted key: it has no secret, and only its use counts. */
export async function insertPastKeys(
  tx: Tx,
  { database }: ImportContext,
  {
    past,
    owners,
  }: { past: ReadonlyMap<string, Known>; owners: Pick<LogOwners, 'users' | 'pastKeys'> },
) {
  if (past.size === 0) return
  const { kind } = database
  const rows = [...past].map(([userId, { new_id }]) => ({
    id: new_id,
    user_id: owners.users.get(userId)?.id ?? 0,
    key_hash: null,
    key_sealed: null,
    status: TOKEN_STATUS.disabled,
    name: 'imported',
    created_time: 0,
    accessed_time: 0,
    expired_time: NEVER,
    unlimited_quota: 1,
    models: '',
    subnet: '',
  }))
  await executeAll(tx, insertTokens(kind, rows))
  await continueIds(tx, kind, 'tokens')
  await owners.pastKeys.write(tx, kind, past)
}
