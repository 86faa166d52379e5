import { type ForeseenError, NEVER, type Token, TOKEN_STATUS } from '@tollgate/contract'

/** Effective state: an expired token may still have the status enabled. */
export function tokenState(token: Token, now: number) {
  const { status, expired_time } = token
  if (status === TOKEN_STATUS.enabled && expired_time !== NEVER && expired_time < now) {
    return 'expired'
  }
  if (status === TOKEN_STATUS.enabled) return 'enabled'
  if (status === TOKEN_STATUS.expired) return 'expired'
  return status === TOKEN_STATUS.exhausted ? 'exhausted' : 'disabled'
}

/** Server's error code if the token cannot be enabled before it is edited; else null. */
export function whyUnusable(
  { expired_time, unlimited_quota, remain_quota }: Token,
  now: number,
): ForeseenError | null {
  if (expired_time !== NEVER && expired_time < now) return 'token_past_expiry'
  return !unlimited_quota && remain_quota <= 0 ? 'token_without_quota' : null
}

/** Whether the token has ended, and nothing keeps it from being enabled any longer. */
export const isRevived = (token: Token, now: number) =>
  ['expired', 'exhausted'].includes(tokenState(token, now)) && whyUnusable(token, now) === null
