import {
  AppError,
  type Language,
  LOG_TYPE,
  NEVER,
  ROLE,
  TOKEN_STATUS,
  USER_STATUS,
} from '@tollgate/contract'
import { hashPassword } from '../../http/password.ts'
import { newInviteCode, newRelayKey } from '../../secrets.ts'
import type { Tx } from '../../store/database.ts'
import { isUniqueViolation } from '../../store/failures.ts'
import { insertNote } from '../../store/logs.ts'
import { insertToken } from '../../store/tokens.ts'
import { findUser, insertUser, isUsernameTaken, type ShownUser } from '../../store/users.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { requireBooked } from '../require-booked.ts'
import { welcomeText } from './quota-notes.ts'

type Draft = { username: string; password: string; display_name: string }

/** An ordinary user with an unlimited default token and the gift of the options. */
export async function createUser(
  deps: AdminDeps,
  { actorId, draft, language }: { actorId: number; draft: Draft; language: Language },
): Promise<ShownUser> {
  const { username, display_name } = draft
  const { database } = deps
  if (await isUsernameTaken(database.kysely, username)) {
    throw new AppError('username_taken', { username })
  }
  const password_hash = await hashPassword(draft.password)
  const created_time = nowSeconds(deps)
  try {
    return await database.transaction(async (tx) => {
      const id = await insertUser(tx, {
        username,
        password_hash,
        display_name: display_name === '' ? username : display_name,
        role: ROLE.user,
        status: USER_STATUS.enabled,
        email: '',
        github_id: '',
        wechat_id: '',
        access_token_hash: null,
        group: 'default',
        aff_code: newInviteCode(),
        inviter_id: 0,
        created_time,
      })
      await insertDefaultToken(tx, deps, id)
      await welcome(tx, deps, { id, username, actorId, language })
      const user = await findUser(tx, id)
      if (!user) throw new Error('a new user is not there')
      return user
    })
  } catch (error) {
    if (isUniqueViolation(error)) throw new AppError('username_taken', { username }, error)
    throw error
  }
}

async function insertDefaultToken(tx: Tx, deps: AdminDeps, userId: number) {
  const key = newRelayKey()
  await insertToken(tx, {
    user_id: userId,
    key_hash: deps.secrets.hashRelayKey(key),
    key_sealed: deps.secrets.sealRelayKey(key),
    status: TOKEN_STATUS.enabled,
    name: 'default',
    created_time: nowSeconds(deps),
    expired_time: NEVER,
    unlimited_quota: 1,
    models: '',
    subnet: '',
  })
}

type NewUser = { id: number; username: string; actorId: number; language: Language }

async function welcome(tx: Tx, deps: AdminDeps, { id, username, actorId, language }: NewUser) {
  const gift = deps.settings.current().QuotaForNewUser
  if (gift === 0) return
  const outcome = await deps.ledger.credit(tx, {
    kind: 'user',
    ownerId: id,
    amount: gift,
    reason: 'new user',
    source: `new-user:${id}`,
    actorId,
  })
  requireBooked(outcome, 'user_not_found')
  await insertNote(tx, {
    user_id: id,
    username,
    type: LOG_TYPE.system,
    content: welcomeText(deps.settings, gift, language),
    created_at: nowSeconds(deps),
  })
}
