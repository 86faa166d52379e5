import { AppError, type InBoth, LOG_TYPE, TOKEN_STATUS } from '@tollgate/contract'
import type { Tx } from '../../store/database.ts'
import { insertNote } from '../../store/logs.ts'
import { forgetOrders } from '../../store/recent-order.ts'
import { deleteToken, lockToken, updateToken } from '../../store/tokens.ts'
import { findUserTokens, type ShownUserToken } from '../../store/user-tokens.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { type CallerContext, reauthorize } from '../reauthorize.ts'
import { requireUsable } from '../tokens/set-token-status.ts'

/** Enables or disables a token of an account that the caller may manage. */
export async function setUserTokenStatus(
  deps: AdminDeps,
  context: CallerContext,
  { id, status }: { id: number; status: 1 | 2 },
): Promise<ShownUserToken> {
  const isEnabled = status === TOKEN_STATUS.enabled
  const token = await change(deps, context, id, async (tx, found) => {
    if (isEnabled) requireUsable(found, nowSeconds(deps))
    await updateToken(tx, { userId: found.user_id, id }, { status })
    const { en, zh } = nameOf(found)
    return {
      en: `${isEnabled ? 'Enabled' : 'Disabled'} ${en}`,
      zh: `${isEnabled ? '启用' : '禁用'}了${zh}`,
    }
  })
  return { ...token, status }
}

export async function revokeUserToken(deps: AdminDeps, context: CallerContext, id: number) {
  await change(deps, context, id, async (tx, token) => {
    await deleteToken(tx, { userId: token.user_id, id })
    const { en, zh } = nameOf(token)
    return { en: `Revoked ${en}`, zh: `吊销了${zh}` }
  })
  forgetOrders(deps.database.kysely)
}

const nameOf = ({ id, name, username }: ShownUserToken): InBoth => ({
  en: `the API key "${name}" (#${id}) of ${username}`,
  zh: `用户 ${username} 的令牌“${name}”（#${id}）`,
})

/** A token of an account that the caller may not manage is not found. */
function change(
  { database, ...deps }: AdminDeps,
  context: CallerContext,
  id: number,
  apply: (tx: Tx, token: ShownUserToken) => Promise<InBoth>,
): Promise<ShownUserToken> {
  return database.changeAccounts(async (tx) => {
    const [token] = await findUserTokens(tx, { manager: context.caller }, [id])
    const owned = token && { userId: token.user_id, id }
    const isHeld = owned && (await lockToken(tx, database.kind, owned)) !== undefined
    const caller = await reauthorize(tx, deps, context)
    if (!token || !isHeld) throw new AppError('token_not_found')
    const content = await apply(tx, token)
    await insertNote(tx, {
      user_id: caller.id,
      username: caller.username,
      type: LOG_TYPE.manage,
      content,
      created_at: nowSeconds(deps),
    })
    return token
  })
}
