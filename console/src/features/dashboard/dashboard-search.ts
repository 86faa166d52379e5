import { oneOf } from '../../lib/table-search.ts'
import { type Range, RANGE_DEFAULT, RANGES } from '../../ui/chart/span.ts'
import { type Metric, METRICS } from './figures.ts'
import type { Scope } from './queries.ts'

export const SCOPES = ['everyone', 'mine'] as const satisfies readonly Scope[]

export type DashboardSearch = { scope: Scope; range: Range; metric: Metric }

/** Invalid values fall back to defaults. Users without admin rights see only their own usage. */
export function parseDashboardSearch(search: URLSearchParams, isAdmin: boolean): DashboardSearch {
  return {
    scope: isAdmin ? (oneOf(SCOPES, search.get('scope')) ?? 'everyone') : 'mine',
    range: oneOf(RANGES, search.get('range')) ?? RANGE_DEFAULT,
    metric: oneOf(METRICS, search.get('metric')) ?? 'quota',
  }
}

const DEFAULTS = { scope: 'everyone', range: RANGE_DEFAULT, metric: 'quota' } as const

export function withDashboardSearch(
  search: URLSearchParams,
  change: Partial<DashboardSearch>,
): URLSearchParams {
  const next = new URLSearchParams(search)
  for (const name of ['scope', 'range', 'metric'] as const) {
    const value = change[name]
    if (value === undefined) continue
    if (value === DEFAULTS[name]) next.delete(name)
    else next.set(name, value)
  }
  return next
}
