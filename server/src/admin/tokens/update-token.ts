import { AppError, NEVER, type Quota, type Token, TOKEN_STATUS } from '@tollgate/contract'
import { tokenState } from '../../domain/token-state.ts'
import type { BudgetEdit } from '../../ledger/ledger.ts'
import { findToken, lockToken, updateToken as saveToken } from '../../store/tokens.ts'
import { isRepeated, assertCredited } from '../assert-credited.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { type CallerContext, reauthorize } from '../reauthorize.ts'
import { periodOf, presentToken } from './present-token.ts'
import { type TokenInput, tokenSettings } from './token-settings.ts'

type Edit = { [Setting in keyof TokenInput]?: TokenInput[Setting] | undefined } & {
  id: number
  name?: string | undefined
  remain_quota?: Quota | undefined
  quota_seen?: Quota | undefined
  edit_id?: string | undefined
  budget_quota?: Quota | undefined
  budget_period?: BudgetEdit['period'] | undefined
}

/**
 * Edits everything but the status: an expired or exhausted token stays so until it is enabled.
 * Omitted fields are reset, except name and budget. The ledger books limit and budget.
 */
export async function updateToken(
  deps: AdminDeps,
  context: CallerContext,
  edit: Edit,
): Promise<Token> {
  const { database, ledger } = deps
  const userId = context.caller.id
  const own = { userId, id: edit.id }
  const { expired_time = NEVER, unlimited_quota = false, models = '', subnet = '' } = edit
  const settings = tokenSettings({ expired_time, unlimited_quota, models, subnet })
  return database.changeAccounts(async (tx) => {
    const before = await lockToken(tx, database.kind, own)
    await reauthorize(tx, deps, context)
    if (!before) throw new AppError('token_not_found')
    const status = TOKEN_STATUS[tokenState(before, nowSeconds(deps))]
    await saveToken(tx, own, { ...settings, name: edit.name ?? before.name, status })
    const outcome = await ledger.editQuota(tx, {
      kind: 'token',
      ownerId: edit.id,
      targetBalance: edit.remain_quota ?? 0,
      seenBalance: edit.quota_seen,
      editId: edit.edit_id,
      reason: 'edited by its owner',
      actorId: userId,
    })
    if (!isRepeated(outcome, edit.edit_id, 'edit_differs'))
      assertCredited(outcome, 'token_not_found')
    await ledger.editBudget(tx, {
      tokenId: edit.id,
      quota: edit.budget_quota ?? before.budget_quota,
      period: edit.budget_period ?? periodOf(before) ?? '',
      timeZone: deps.settings.current().TimeZone,
    })
    const token = await findToken(tx, own)
    if (!token) throw new Error('an edited token is not there')
    return presentToken(deps, tx, token)
  })
}
