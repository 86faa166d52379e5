import {
  AppError,
  isAdmin,
  type Quota,
  TOKEN_STATUS,
  type Token,
  TOKENS_PER_USER_MAX,
} from '@tollgate/contract'
import type { BudgetEdit } from '../../ledger/ledger.ts'
import { newRelayKey } from '../../secrets.ts'
import { countTokens, findToken, insertToken } from '../../store/tokens.ts'
import { lockUser } from '../../store/users.ts'
import { assertCredited } from '../assert-credited.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { type CallerContext, reauthorize } from '../reauthorize.ts'
import { presentToken } from './present-token.ts'
import { type TokenInput, tokenSettings } from './token-settings.ts'

export async function createToken(
  deps: AdminDeps,
  context: CallerContext,
  draft: TokenInput & {
    name: string
    remain_quota: Quota
    budget_quota: Quota
    budget_period: BudgetEdit['period']
  },
): Promise<Token> {
  const { database, ledger, secrets } = deps
  const userId = context.caller.id
  const settings = tokenSettings(draft)
  const key = newRelayKey()
  return database.transaction(async (tx) => {
    // Serializes requests, so that two cannot both take the last slot.
    await lockUser(tx, database.kind, { id: userId })
    const { role } = await reauthorize(tx, deps, context)
    // Resellers' scripts issue a token per customer under an administrator's account.
    if (!isAdmin(role) && (await countTokens(tx, userId)) >= TOKENS_PER_USER_MAX) {
      throw new AppError('too_many_tokens', { limit: TOKENS_PER_USER_MAX })
    }
    const id = await insertToken(tx, {
      ...settings,
      name: draft.name,
      user_id: userId,
      key_hash: secrets.hashRelayKey(key),
      key_sealed: secrets.sealRelayKey(key),
      status: TOKEN_STATUS.enabled,
      created_time: nowSeconds(deps),
    })
    const outcome = await ledger.credit(tx, {
      kind: 'token',
      ownerId: id,
      amount: draft.remain_quota,
      reason: 'first limit',
      source: `token:${id}`,
      actorId: userId,
    })
    assertCredited(outcome, 'token_not_found')
    await ledger.editBudget(tx, {
      tokenId: id,
      quota: draft.budget_quota,
      period: draft.budget_period,
    })
    const token = await findToken(tx, { userId, id })
    if (!token) throw new Error('a new token is not there')
    return presentToken(deps, tx, token)
  })
}
