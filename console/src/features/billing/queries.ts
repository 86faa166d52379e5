import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { ownBillingEndpoints } from '@tollgate/contract'
import { call } from '../../lib/api.ts'

export const reminderQuery = queryOptions({
  queryKey: ['reminder'],
  queryFn: async ({ signal }) => (await call(ownBillingEndpoints.getReminder, {}, signal)).data,
})

/** The current month without a name. */
export const statementQuery = (month: string | undefined) =>
  queryOptions({
    queryKey: ['statement', month],
    queryFn: async ({ signal }) => {
      const query = month === undefined ? {} : { month }
      return (await call(ownBillingEndpoints.getStatement, { query }, signal)).data
    },
    placeholderData: keepPreviousData,
  })
