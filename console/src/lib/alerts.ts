import { queryOptions } from '@tanstack/react-query'

const FRESH_MS = 60_000

/** Read again after a minute, when the window gets the focus or another page opens. */
export const alertsQuery = queryOptions({
  queryKey: ['alerts'],
  // The bell is part of every page, and the first page loads no schemas.
  queryFn: async ({ signal }) => (await import('./list-alerts.ts')).listAlerts(signal),
  staleTime: FRESH_MS,
  // The bell stands on every page, and no page depends on it.
  meta: { quiet: true },
})
