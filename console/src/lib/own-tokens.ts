import { queryOptions } from '@tanstack/react-query'
import { NEVER, type Token, TOKEN_STATUS, tokenEndpoints } from '@tollgate/contract'
import { call } from './api.ts'
import { nowSeconds } from './server-clock.ts'

const TOKENS_SHOWN = 100

/** The newest tokens of the reader. */
export const ownTokensQuery = queryOptions({
  queryKey: ['tokens', 'newest'],
  queryFn: async ({ signal }) =>
    (await call(tokenEndpoints.listTokens, { query: { size: TOKENS_SHOWN } }, signal)).data,
})

/** Tokens that the relay accepts now. */
export const usableTokens = (tokens: readonly Token[], now = nowSeconds()) =>
  tokens.filter(
    ({ status, expired_time, unlimited_quota, remain_quota }) =>
      status === TOKEN_STATUS.enabled &&
      (expired_time === NEVER || expired_time > now) &&
      (unlimited_quota || remain_quota > 0),
  )

/** Creates a token that is limited by the balance alone. */
export const createOwnToken = async (name: string): Promise<Token> =>
  (await call(tokenEndpoints.createToken, { body: { name, unlimited_quota: true } })).data
