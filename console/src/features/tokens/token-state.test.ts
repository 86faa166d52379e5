import { expect, test } from 'vitest'
import { NEVER, type Token, TOKEN_STATUS } from '@tollgate/contract'
import { isRevived, whyUnusable } from './token-state.ts'

const NOW = 1_800_000_000
/** Safe because nothing else of a token is read. */
const token = (part: Partial<Token>) =>
  ({
    status: TOKEN_STATUS.disabled,
    expired_time: NEVER,
    unlimited_quota: false,
    remain_quota: 1,
    ...part,
  }) as Token

test.each<[Partial<Token>, string | null]>([
  [{}, null],
  [{ expired_time: NOW }, null],
  [{ expired_time: NOW - 1 }, 'token_past_expiry'],
  [{ remain_quota: 0 }, 'token_without_quota'],
  [{ remain_quota: 0, unlimited_quota: true }, null],
])('whether a token may be enabled: %j', (part, reason) => {
  expect(whyUnusable(token(part), NOW)).toBe(reason)
})

test.each<[Partial<Token>, boolean]>([
  [{ status: TOKEN_STATUS.exhausted }, true],
  [{ status: TOKEN_STATUS.exhausted, remain_quota: 0 }, false],
  [{ status: TOKEN_STATUS.expired, expired_time: NOW + 1 }, true],
  [{ status: TOKEN_STATUS.expired, expired_time: NOW - 1 }, false],
  [{ status: TOKEN_STATUS.disabled }, false],
  [{ status: TOKEN_STATUS.enabled }, false],
])('whether an edit has revived a token: %j', (part, isSo) => {
  expect(isRevived(token(part), NOW)).toBe(isSo)
})
