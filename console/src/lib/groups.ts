import { queryOptions } from '@tanstack/react-query'
import { modelEndpoints } from '@tollgate/contract'
import { call } from './api.ts'

/** Group names; admins only. */
export const groupsQuery = queryOptions({
  queryKey: ['groups'],
  queryFn: async ({ signal }) => (await call(modelEndpoints.listGroups, {}, signal)).data,
})
