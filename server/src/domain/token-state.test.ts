import { expect, test } from 'vitest'
import { NEVER, TOKEN_STATUS } from '@tollgate/contract'
import { tokenState } from './token-state.ts'

const NOW = 1000

const token: Parameters<typeof tokenState>[0] = {
  status: TOKEN_STATUS.enabled,
  expired_time: NEVER,
  unlimited_quota: 1,
  remain_quota: 0,
}

test('the stored status counts, together with expiry and quota it has not caught up with', () => {
  expect(tokenState(token, NOW)).toBe('enabled')
  expect(tokenState({ ...token, status: TOKEN_STATUS.disabled }, NOW)).toBe('disabled')
  expect(tokenState({ ...token, status: TOKEN_STATUS.expired }, NOW)).toBe('expired')
  expect(tokenState({ ...token, status: TOKEN_STATUS.exhausted }, NOW)).toBe('exhausted')
  expect(tokenState({ ...token, status: 99 }, NOW)).toBe('disabled')
  expect(tokenState({ ...token, expired_time: NOW - 1 }, NOW)).toBe('expired')
  expect(tokenState({ ...token, expired_time: NOW }, NOW)).toBe('enabled')
  expect(tokenState({ ...token, unlimited_quota: 0 }, NOW)).toBe('exhausted')
  expect(tokenState({ ...token, unlimited_quota: 0, remain_quota: 1 }, NOW)).toBe('enabled')
})
