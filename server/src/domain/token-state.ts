import { NEVER, TOKEN_STATUS } from '@tollgate/contract'

export type TokenState = 'enabled' | 'disabled' | 'expired' | 'exhausted'

/** The current state of a token. Its stored status may be out of date. */
export function tokenState(
  token: {
    status: number
    expired_time: number
    unlimited_quota: number
    remain_quota: number
  },
  nowSeconds: number,
): TokenState {
  if (token.status === TOKEN_STATUS.exhausted) return 'exhausted'
  if (token.status === TOKEN_STATUS.expired) return 'expired'
  if (token.status !== TOKEN_STATUS.enabled) return 'disabled'
  if (token.expired_time !== NEVER && token.expired_time < nowSeconds) return 'expired'
  return token.unlimited_quota === 0 && token.remain_quota <= 0 ? 'exhausted' : 'enabled'
}
