import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Log } from '@tollgate/contract'

/** A reader of ten such views costs the server less than a hundredth of a core. */
const TAIL_MS = 3000
const TAIL_ROWS_MAX = 100
/** Newer rows that a view keeps; older ones are on the next pages. */
const KEPT_ROWS_MAX = 500

type Tail = {
  isLive: boolean
  /** Changes with the filter; a new one forgets the newer rows. */
  scope: string
  rows: readonly Log[] | undefined
  list: (after: number | undefined, size: number, signal: AbortSignal) => Promise<Log[]>
}

/** Puts rows that arrive after the page was read before its rows, while the tab is visible. */
export function useTail({ isLive, scope, rows, list }: Tail): readonly Log[] | undefined {
  const [newer, setNewer] = useState<{ scope: string; rows: readonly Log[] }>({ scope, rows: [] })
  const first = rows?.[0]?.id ?? 0
  const kept = newer.scope === scope ? newer.rows.filter(({ id }) => id > first) : []
  useQuery({
    queryKey: ['logs', 'tail', scope],
    enabled: isLive && rows !== undefined,
    refetchInterval: TAIL_MS,
    gcTime: 0,
    meta: { quiet: true },
    queryFn: async ({ signal }) => {
      const newest = kept[0]?.id ?? first
      const found = await list(newest === 0 ? undefined : newest, TAIL_ROWS_MAX, signal)
      if (found.length > 0) setNewer({ scope, rows: [...found, ...kept].slice(0, KEPT_ROWS_MAX) })
      return found.length
    },
  })
  return isLive && rows !== undefined ? [...kept, ...rows] : rows
}
