import { TOKEN_STATUS, USER_STATUS } from '@tollgate/contract'
import { createCredits } from '../../src/ledger/balances/credit.ts'
import type { Database, Tx } from '../../src/store/database.ts'
import type { MemoryServer } from './memory-server.ts'
import { POISON } from './request.ts'
import { CHANNEL_ID } from './settlement.ts'
import { askServer } from './simulated-database.ts'

export type SimulatedToken = {
  readonly id: number
  readonly userId: number
  isLimited: boolean
  readonly hasBudget: boolean
  isDeleted: boolean
}

const USERS = [1, 2, 3]
const FIRST_QUOTA = 3000
const LIMITED_QUOTA = 1500
const BUDGET_QUOTA = 700

/** Three users, each with an unlimited token, a limited token and a token with a daily budget. */
export async function addAccounts(server: MemoryServer, now: () => number) {
  const tokens = USERS.flatMap((userId): SimulatedToken[] => {
    const token = { userId, isLimited: false, hasBudget: false, isDeleted: false }
    const first = userId * 10
    return [
      { ...token, id: first },
      { ...token, id: first + 1, isLimited: true },
      { ...token, id: first + 2, isLimited: userId === 1, hasBudget: true },
    ]
  })
  await askServer(server, async (database) => {
    const { credit } = createCredits({ database, now })
    await database.transaction(async (tx) => {
      for (const id of USERS) await insertUser(tx, id)
      for (const token of tokens) await insertToken(tx, token)
      await insertChannel(tx)
      const first = { reason: 'first', actorId: 0 }
      for (const ownerId of USERS) {
        const source = `first:user:${ownerId}`
        await credit(tx, { ...first, kind: 'user', ownerId, amount: FIRST_QUOTA, source })
      }
      for (const { id, isLimited } of tokens) {
        const source = `first:token:${id}`
        const amount = isLimited ? LIMITED_QUOTA : 0
        await credit(tx, { ...first, kind: 'token', ownerId: id, amount, source })
      }
    })
  })
  refusePoison(server)
  return { userIds: [...USERS], tokens }
}

/** Refuses the text, as PostgreSQL refuses texts that SQLite accepts. */
function refusePoison(server: MemoryServer) {
  const sql = `create trigger refuse_poison before insert on logs when new.content = '${POISON}'
    begin select raise(abort, 'this text cannot be stored'); end`
  server.execute([{ sql, parameters: [] }])
}

async function insertUser(tx: Tx, id: number) {
  const name = `user${id}`
  await tx
    .insertInto('users')
    .values({
      id,
      username: name,
      password_hash: '',
      display_name: name,
      role: 1,
      status: USER_STATUS.enabled,
      email: '',
      github_id: '',
      wechat_id: '',
      access_token_hash: null,
      group: 'default',
      aff_code: name,
      inviter_id: 0,
      created_time: 0,
    })
    .execute()
}

export async function insertToken(tx: Tx, token: SimulatedToken) {
  const name = `token${token.id}`
  await tx
    .insertInto('tokens')
    .values({
      id: token.id,
      user_id: token.userId,
      key_hash: name,
      key_sealed: name,
      status: TOKEN_STATUS.enabled,
      name,
      created_time: 0,
      expired_time: -1,
      unlimited_quota: token.isLimited ? 0 : 1,
      models: '',
      subnet: '',
      budget_quota: token.hasBudget ? BUDGET_QUOTA : 0,
      budget_period: token.hasBudget ? 'day' : '',
    })
    .execute()
}

async function insertChannel(tx: Tx) {
  await tx
    .insertInto('channels')
    .values({
      id: CHANNEL_ID,
      type: 1,
      key_sealed: '',
      status: 1,
      name: 'upstream',
      weight: 0,
      created_time: 0,
      base_url: '',
      other: '',
      models: '',
      group: 'default',
      model_mapping: '',
      priority: 0,
      config: '',
    })
    .execute()
}

/** Deletes a token's key; its row stays, because charges refer to it. */
export async function deleteToken({ kysely }: Pick<Database, 'kysely'>, id: number) {
  await kysely
    .updateTable('tokens')
    .set({ key_hash: null, key_sealed: null })
    .where('id', '=', id)
    .execute()
}
