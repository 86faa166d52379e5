import { queryOptions } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type Managed, type OptionKey, optionEndpoints } from '@tollgate/contract'
import { call } from './api.ts'
import { useEarlyQuery } from './use-early-query.ts'

/** What the configuration file manages; administrators only. */
export const managedQuery = queryOptions({
  queryKey: ['managed'],
  queryFn: async ({ signal }) => (await call(optionEndpoints.getManaged, {}, signal)).data,
  meta: { quiet: true },
})

export type ManagedMark = {
  readonly file: string
  /** Otherwise the next apply undoes what is changed here. */
  readonly isLocked: boolean
  /** The managed entries of a table; empty for an object that is managed as a whole. */
  readonly names: readonly string[]
}

const markOf = ({ file, locked }: Managed, names: readonly string[] = []): ManagedMark => ({
  file,
  isLocked: locked,
  names,
})

/** Null for an option that the file leaves alone. */
export function useManagedOption(key: OptionKey): ManagedMark | null {
  const { data } = useEarlyQuery(managedQuery)
  if (data === undefined) return null
  if (data.options.includes(key)) return markOf(data)
  const names = entriesOf(data, key)
  return names.length === 0 ? null : markOf(data, names)
}

function entriesOf({ groups, prices }: Managed, key: OptionKey): readonly string[] {
  switch (key) {
    case 'GroupRatio':
    case 'GroupRequestsPerMinute':
    case 'GroupTokensPerMinute':
    case 'GroupConcurrentRequests':
      return groups
    // The table of model ratios edits those of all parts.
    case 'ModelRatio':
    case 'ModelPrice':
      return prices
    default:
      return []
  }
}

/** Marks by model, and by channel. */
export function useManaged() {
  const { data, isPending } = useEarlyQuery(managedQuery)
  return useMemo(
    () => ({
      isPending,
      ofPrice: (model: string) => (data?.prices.includes(model) === true ? markOf(data) : null),
      ofChannel: (id: number) => (data?.channels.includes(id) === true ? markOf(data) : null),
    }),
    [data, isPending],
  )
}
