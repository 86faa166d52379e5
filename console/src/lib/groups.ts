import { queryOptions } from '@tanstack/react-query'
import { modelEndpoints } from '@tollgate/contract'
import { call } from './api.ts'

/** The groups there are, by name; admins only. */
export const groupsQuery = queryOptions({
  queryKey: ['groups'],
  queryFn: async ({ signal }) => (await call(modelEndpoints.listGroups, {}, signal)).data,
})
