import { AppError, NEVER, TOKEN_STATUS, type Token } from '@tollgate/contract'
import { lockToken, type ShownToken, updateToken } from '../../store/tokens.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { type CallerContext, reauthorize } from '../reauthorize.ts'
import { presentToken } from './present-token.ts'

type Wanted = { id: number; status?: number | undefined }

/** Enables or disables a token. Rejects enabling an expired or exhausted token. */
export async function setTokenStatus(
  deps: AdminDeps,
  context: CallerContext,
  { id, status }: Wanted,
): Promise<Token> {
  const { database } = deps
  const userId = context.caller.id
  if (status !== TOKEN_STATUS.enabled && status !== TOKEN_STATUS.disabled) {
    throw new AppError('status_invalid')
  }
  return database.changeAccounts(async (tx) => {
    const token = await lockToken(tx, database.kind, { userId, id })
    await reauthorize(tx, deps, context)
    if (!token) throw new AppError('token_not_found')
    if (status === TOKEN_STATUS.enabled) requireUsable(token, nowSeconds(deps))
    await updateToken(tx, { userId, id }, { status })
    return presentToken(deps, tx, { ...token, status })
  })
}

/** Throws an AppError for a token that would stay unusable. */
export function requireUsable(
  token: Pick<ShownToken, 'expired_time' | 'unlimited_quota' | 'remain_quota'>,
  now: number,
) {
  if (token.expired_time !== NEVER && token.expired_time < now) {
    throw new AppError('token_past_expiry')
  }
  if (token.unlimited_quota === 0 && token.remain_quota <= 0) {
    throw new AppError('token_without_quota')
  }
}
