import { queryOptions } from '@tanstack/react-query'
import { type SecondFactor, secondFactorEndpoints } from '@tollgate/contract'
import { call } from '../../lib/api.ts'

/** The page shows the failures of both queries itself. */
const QUIET = { quiet: true }

export const secondFactorQuery = queryOptions({
  queryKey: ['second-factor'],
  queryFn: async ({ signal }) =>
    (await call(secondFactorEndpoints.getSecondFactor, {}, signal)).data,
  meta: QUIET,
})

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async ({ signal }) => (await call(secondFactorEndpoints.listSessions, {}, signal)).data,
  meta: QUIET,
})

/** Recovery codes do not count as a factor: they only replace the authenticator app. */
export const hasFactor = ({ totp, passkeys }: SecondFactor) => totp || passkeys.length > 0
