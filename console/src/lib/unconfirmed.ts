import { queryOptions } from '@tanstack/react-query'
import { optionEndpoints } from '@tollgate/contract'
import { call } from './api.ts'

/** Changed options that await confirmation by the super administrator; administrators only. */
export const unconfirmedQuery = queryOptions({
  queryKey: ['unconfirmed-options'],
  queryFn: async ({ signal }) =>
    (await call(optionEndpoints.listUnconfirmedOptions, {}, signal)).data,
  meta: { quiet: true },
})
