import { AppError, type Quota, QUOTA_MAX } from '@tollgate/contract'
import type { CreditOutcome, EarningOutcome } from '../ledger/ledger.ts'

/** Returns the new balance. Any other outcome throws, which rolls back the caller's transaction. */
export function assertCredited(
  outcome: CreditOutcome,
  missing: 'user_not_found' | 'token_not_found',
): Quota {
  const field = missing === 'token_not_found' ? 'remain_quota' : 'quota'
  switch (outcome.type) {
    case 'booked':
      return outcome.balance
    case 'below_leased':
      throw new AppError('quota_below_held', { field, held: outcome.leased })
    case 'out_of_range':
      throw new AppError('quota_out_of_range', { field, limit: QUOTA_MAX })
    case 'no_account':
      throw new AppError(missing)
    case 'repeated':
      throw new Error('a balance was to be booked under a source that is used')
  }
}

/** Whether this id has already been applied. Throws if the id was used for a different change. */
export function isRepeated<Outcome extends CreditOutcome | EarningOutcome>(
  outcome: Outcome,
  id = '',
  other: 'transaction_differs' | 'edit_differs' = 'transaction_differs',
): outcome is Extract<Outcome, { type: 'repeated' }> {
  if (outcome.type !== 'repeated') return false
  if (!outcome.isSame) throw new AppError(other, { id })
  return true
}
