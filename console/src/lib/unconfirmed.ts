import { queryOptions } from '@tanstack/react-query'
import { optionEndpoints } from '@tollgate/contract'
import { call } from './api.ts'

/** Changed settings that wait for the super administrator, for administrators. */
export const unconfirmedQuery = queryOptions({
  queryKey: ['unconfirmed-options'],
  queryFn: async ({ signal }) =>
    (await call(optionEndpoints.listUnconfirmedOptions, {}, signal)).data,
  meta: { quiet: true },
})
