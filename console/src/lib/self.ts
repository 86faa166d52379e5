import { queryOptions } from '@tanstack/react-query'
import { selfEndpoints } from '@tollgate/contract'
import { call } from './api.ts'

export const selfQuery = queryOptions({
  queryKey: ['self'],
  queryFn: async ({ signal }) => (await call(selfEndpoints.getSelf, {}, signal)).data,
})
