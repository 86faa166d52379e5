import { NEVER, type Token, TOKEN_STATUS } from '@tollgate/contract'

/** What the token is worth now; a row may still say enabled after its time has passed. */
export function tokenState(token: Token, now: number) {
  const { status, expired_time } = token
  if (status === TOKEN_STATUS.enabled && expired_time !== NEVER && expired_time < now) {
    return 'expired'
  }
  if (status === TOKEN_STATUS.enabled) return 'enabled'
  if (status === TOKEN_STATUS.expired) return 'expired'
  return status === TOKEN_STATUS.exhausted ? 'exhausted' : 'disabled'
}
