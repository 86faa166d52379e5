import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Log } from '@tollgate/contract'
import {
  followedRows,
  type Newer,
  newerThan,
  NONE_NEWER,
  type Range,
  readNewer,
  withNewer,
} from './newer-rows.ts'

/** A reader of ten such views costs the server less than a hundredth of a core. */
const TAIL_MS = 5000

type Tail = {
  isLive: boolean
  /** Changes with the filter and the page; a new one forgets the newer rows. */
  scope: string
  rows: readonly Log[] | undefined
  list: (range: Range, signal: AbortSignal) => Promise<Log[]>
}

/**
 * Puts rows that arrive after the page was read before its rows, while the tab is visible. They
 * stay when the view is no longer live.
 */
export function useTail({ isLive, scope, rows, list }: Tail) {
  const [stored, setStored] = useState<{ scope: string; newer: Newer<Log> }>()
  const first = rows?.[0]?.id ?? 0
  const newer = stored?.scope === scope ? newerThan(stored.newer, first) : NONE_NEWER
  useQuery({
    queryKey: ['logs', 'tail', scope],
    enabled: isLive && rows !== undefined,
    refetchInterval: TAIL_MS,
    gcTime: 0,
    meta: { quiet: true },
    queryFn: async ({ signal }) => {
      const newest = newer.rows[0]?.id ?? first
      const found = await readNewer(newest, (range) => list(range, signal))
      if (found.rows.length > 0) setStored({ scope, newer: withNewer(newer, found) })
      return found.rows.length
    },
  })
  if (rows === undefined) return { rows, newer: NONE_NEWER }
  return { rows: followedRows(newer, rows), newer }
}
