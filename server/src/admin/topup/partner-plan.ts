import { AppError, GIFT_CODE_LENGTH, type PartnerPlan } from '@tollgate/contract'
import { newInviteCode } from '../../secrets.ts'
import { isUniqueViolation } from '../../store/failures.ts'
import { fillInviteCode, findPartnerPlan } from '../../store/partner-plan.ts'
import type { AdminDeps } from '../deps.ts'

/** Two codes share a suffix in one of a thousand million pairs. */
const ATTEMPTS_MAX = 5

/**
 * Returns the partner plan. Accounts from older versions whose code was too short or had a
 * duplicate suffix get a new code.
 */
export async function getPartnerPlan(deps: AdminDeps, userId: number): Promise<PartnerPlan> {
  for (let attempts = 0; attempts < ATTEMPTS_MAX; attempts++) {
    const plan = await findPartnerPlan(deps.database.kysely, userId)
    if (!plan) throw new AppError('user_not_found')
    const { aff_code, gift_code, invite_balance } = plan
    if (gift_code !== null && aff_code !== '') return { aff_code, gift_code, invite_balance }
    await tryNewCode(deps, userId)
  }
  throw new Error('no invite code is free')
}

async function tryNewCode({ database }: AdminDeps, userId: number) {
  const aff_code = newInviteCode()
  const codes = { aff_code, gift_code: aff_code.slice(-GIFT_CODE_LENGTH) }
  try {
    await database.transaction((tx) => fillInviteCode(tx, userId, codes))
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
  }
}
