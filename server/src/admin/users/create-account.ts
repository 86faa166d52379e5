import { LOG_TYPE, NEVER, ROLE, TOKEN_STATUS, USER_STATUS } from '@tollgate/contract'
import { isOldEnough } from '../../domain/partner-plan.ts'
import { newInviteCode, newRelayKey } from '../../secrets.ts'
import type { Tx } from '../../store/database.ts'
import { uniqueViolationColumn } from '../../store/failures.ts'
import { insertNote } from '../../store/logs.ts'
import { insertToken } from '../../store/tokens.ts'
import { findInviter, insertUser } from '../../store/users.ts'
import { assertCredited } from '../assert-credited.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { inviteeText, inviterText, welcomeText } from './quota-notes.ts'
import { requireClearName } from './require-clear-name.ts'
import { toAppError } from './unique-violation.ts'

export type Account = {
  username: string
  /** Empty if the account cannot log in by password. */
  password_hash: string
  /** Empty means the username. */
  display_name: string
  email?: string
  github_id?: string
  wechat_id?: string
  lark_id?: string
  oidc_id?: string
  /** Invite code of the inviter; an unknown code is ignored. */
  inviteCode?: string
  /** The creator of the account; absent if users registered themselves. */
  actorId?: number
}

const CODE_ATTEMPTS_MAX = 5
const OWN_CODES = new Set(['aff_code', 'gift_code'])

/**
 * Runs a transaction that creates an account. Repeats it if a generated code is already taken.
 * Throws `username_taken`, `email_taken` or `identity_taken`.
 */
export async function withNewAccount<Result>(
  { database }: Pick<AdminDeps, 'database'>,
  { username }: { username: string },
  run: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await database.transaction(run)
    } catch (error) {
      const isCodeCollision = OWN_CODES.has(uniqueViolationColumn(error) ?? '')
      if (!isCodeCollision || attempts >= CODE_ATTEMPTS_MAX) throw toAppError(error, username)
    }
  }
}

/**
 * Creates an ordinary user with an unlimited default token and the bonuses of the options. Returns
 * the user's id.
 */
export async function createAccount(tx: Tx, deps: AdminDeps, account: Account): Promise<number> {
  const { username, display_name, inviteCode = '' } = account
  await requireClearName(tx, username)
  const inviter = inviteCode === '' ? undefined : await findInviter(tx, inviteCode)
  const id = await insertUser(tx, {
    username,
    password_hash: account.password_hash,
    display_name: display_name === '' ? username : display_name,
    role: ROLE.user,
    status: USER_STATUS.enabled,
    email: account.email ?? '',
    github_id: account.github_id ?? '',
    wechat_id: account.wechat_id ?? '',
    lark_id: account.lark_id ?? '',
    oidc_id: account.oidc_id ?? '',
    access_token_hash: null,
    group: 'default',
    aff_code: newInviteCode(),
    inviter_id: inviter?.id ?? 0,
    created_time: nowSeconds(deps),
  })
  await insertDefaultToken(tx, deps, id)
  const actorId = account.actorId ?? id
  const user = { id, username }
  const { QuotaForNewUser, QuotaForInvitee, QuotaForInviter, GiftAccountAgeDays } =
    deps.settings.current()
  await creditGift(tx, deps, user, { actorId, reason: 'new-user', amount: QuotaForNewUser })
  if (inviter) {
    await creditGift(tx, deps, user, { actorId, reason: 'invitee', amount: QuotaForInvitee })
    if (isOldEnough(inviter, { days: GiftAccountAgeDays, now: nowSeconds(deps) })) {
      await creditGift(tx, deps, inviter, {
        actorId,
        reason: 'inviter',
        amount: QuotaForInviter,
        sourceId: id,
      })
    }
  }
  return id
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

const TEXTS = { 'new-user': welcomeText, invitee: inviteeText, inviter: inviterText }

type Gift = {
  reason: keyof typeof TEXTS
  amount: number
  actorId: number
  /** The new user, if the bonus goes to the inviter. */
  sourceId?: number
}

async function creditGift(
  tx: Tx,
  deps: AdminDeps,
  user: { id: number; username: string },
  gift: Gift,
) {
  const { reason, amount, actorId } = gift
  if (amount === 0) return
  const outcome = await deps.ledger.credit(tx, {
    kind: 'user',
    ownerId: user.id,
    amount,
    reason,
    source: `${reason}:${gift.sourceId ?? user.id}`,
    actorId,
  })
  // A full inviter balance must not keep others from registering.
  if (reason === 'inviter' && outcome.type === 'out_of_range') return
  assertCredited(outcome, 'user_not_found')
  await insertNote(tx, {
    user_id: user.id,
    username: user.username,
    type: LOG_TYPE.system,
    content: TEXTS[reason](deps.settings.current(), amount),
    quota: amount,
    created_at: nowSeconds(deps),
  })
}
