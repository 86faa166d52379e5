import { AppError } from '@tollgate/contract'
import { type AdminDeps, nowSeconds } from '../deps.ts'

/** A code that has expired already is a mistake of the form. 0 means never. */
export function requireFuture(deps: Pick<AdminDeps, 'now'>, expiredTime: number) {
  const isPast = expiredTime !== 0 && expiredTime <= nowSeconds(deps)
  if (isPast) throw new AppError('redemption_expiry_past')
}
