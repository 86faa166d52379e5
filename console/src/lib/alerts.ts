import { queryOptions } from '@tanstack/react-query'
import { alertEndpoints } from '@tollgate/contract'
import { call } from './api.ts'

const FRESH_MS = 60_000

/** Read again after a minute, when the window gets the focus or another page opens. */
export const alertsQuery = queryOptions({
  queryKey: ['alerts'],
  queryFn: async ({ signal }) => (await call(alertEndpoints.listAlerts, {}, signal)).data,
  staleTime: FRESH_MS,
  // The bell stands on every page, and no page depends on it.
  meta: { quiet: true },
})
