import { AppError, type Quota, QUOTA_MAX } from '@tollgate/contract'
import type { CreditOutcome } from '../ledger/ledger.ts'

/** The new balance; throws why there is none, which undoes the transaction it is called in. */
export function requireBooked(
  outcome: CreditOutcome,
  missing: 'user_not_found' | 'token_not_found',
): Quota {
  switch (outcome.type) {
    case 'booked':
      return outcome.balance
    case 'below_held':
      throw new AppError('quota_below_held', { held: outcome.held })
    case 'out_of_range':
      throw new AppError('quota_out_of_range', { limit: QUOTA_MAX })
    case 'no_account':
      throw new AppError(missing)
    case 'repeated':
      throw new Error('a balance was to be booked under a source that is used')
  }
}

/** The same of an edit; one that was carried out before leaves the balance as it is now. */
export function requireEdited(
  outcome: CreditOutcome,
  missing: 'user_not_found' | 'token_not_found',
  { editId = '', balance }: { editId?: string | undefined; balance: Quota },
): Quota {
  if (outcome.type !== 'repeated') return requireBooked(outcome, missing)
  if (!outcome.isSame) throw new AppError('transaction_differs', { id: editId })
  return balance
}
