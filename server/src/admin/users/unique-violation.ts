import { AppError, IDENTITY_NAMES } from '@tollgate/contract'
import { uniqueViolationColumn } from '../../store/failures.ts'

const PROVIDERS = new Map(Object.entries(IDENTITY_NAMES))

/** Maps a unique violation to the error for the caller; returns any other error unchanged. */
export function toAppError(error: unknown, username: string | undefined): unknown {
  const column = uniqueViolationColumn(error)
  if (column === 'username' || column === 'username_folded') {
    return new AppError('username_taken', { username: username ?? '' }, error)
  }
  if (column === 'email') return new AppError('email_taken', {}, error)
  const provider = PROVIDERS.get(column ?? '')
  return provider === undefined ? error : new AppError('identity_taken', { provider }, error)
}
