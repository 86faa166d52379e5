import {
  hasUsageMetric,
  OWN_USAGE_DIMENSIONS,
  OWN_USAGE_FILTERS,
  OWN_USAGE_METRICS,
  USAGE_DIMENSIONS,
  USAGE_FILTERS,
  USAGE_METRICS,
  type UsageDimension,
  type UsageFilter,
  type UsageMetric,
} from '@tollgate/contract'
import { oneOf } from '../../lib/table-search.ts'

export const USAGE_RANGES = ['today', '7d', '30d', '90d', 'custom'] as const

export type UsageRange = (typeof USAGE_RANGES)[number]

export type UsageSearch = {
  metric: UsageMetric
  by: UsageDimension
  /** The range in the address. */
  asked: UsageRange
  /** The range that is shown: the last days, while that of the address is not complete. */
  range: UsageRange
  /** Dates of the range `custom`, as in 2026-11-27; both days are included. */
  from: string
  to: string
  /** Keys of other dimensions that the usage is narrowed to. */
  filters: { readonly [Name in UsageFilter]?: string | undefined }
}

export const metricsOf = (isAdmin: boolean): readonly UsageMetric[] =>
  isAdmin ? USAGE_METRICS : OWN_USAGE_METRICS

/** Groups are counted without the dimensions of filters. */
export const dimensionsOf = (
  isAdmin: boolean,
  filters: UsageSearch['filters'] = {},
): readonly UsageDimension[] =>
  (isAdmin ? USAGE_DIMENSIONS : OWN_USAGE_DIMENSIONS).filter(
    (name) => name !== 'group' || Object.keys(filters).length === 0,
  )

const filtersOf = (isAdmin: boolean): readonly UsageFilter[] =>
  isAdmin ? USAGE_FILTERS : OWN_USAGE_FILTERS

/** The first dimension without a filter, once usage is narrowed to a key of `by`. */
export function nextDimension(
  { by, metric, filters }: Pick<UsageSearch, 'by' | 'metric' | 'filters'>,
  isAdmin: boolean,
): UsageDimension {
  const isOpen = (name: UsageFilter) => name !== by && filters[name] === undefined
  const last = hasUsageMetric('endpoint', metric) ? 'endpoint' : by
  return filtersOf(isAdmin).find(isOpen) ?? last
}

const DATE = /^\d{4}-\d{2}-\d{2}$/

/** A year that is being typed begins with zeros. */
export const FIRST_DATE = '2000-01-01'

const dateOf = (text: string | null) =>
  text !== null && DATE.test(text) && text >= FIRST_DATE && !Number.isNaN(Date.parse(text))
    ? text
    : ''

const ID = /^[1-9]\d{0,15}$/

function parseFilters(search: URLSearchParams, isAdmin: boolean): UsageSearch['filters'] {
  const given = filtersOf(isAdmin).map((name) => [name, search.get(name) ?? ''] as const)
  return Object.fromEntries(
    given.filter(([name, key]) => (name === 'model' ? key !== '' : ID.test(key))),
  )
}

/** Invalid values fall back to defaults; a metric that the dimension lacks becomes spend. */
export function parseUsageSearch(search: URLSearchParams, isAdmin: boolean): UsageSearch {
  const filters = parseFilters(search, isAdmin)
  const by = oneOf(dimensionsOf(isAdmin, filters), search.get('by')) ?? 'model'
  const metric = oneOf(metricsOf(isAdmin), search.get('metric')) ?? 'quota'
  const [from, to] = [dateOf(search.get('from')), dateOf(search.get('to'))]
  const wanted = oneOf(USAGE_RANGES, search.get('range')) ?? '7d'
  const isOpen = wanted === 'custom' && (from === '' || to === '' || to < from)
  return {
    by,
    metric: hasUsageMetric(by, metric) ? metric : 'quota',
    asked: wanted,
    range: isOpen ? '7d' : wanted,
    from,
    to,
    filters,
  }
}

export function withUsageSearch(
  search: URLSearchParams,
  { filters, ...change }: Partial<Omit<UsageSearch, 'asked'>>,
): URLSearchParams {
  const next = new URLSearchParams(search)
  // All filters together, so that absent ones are removed.
  const changed =
    filters && Object.fromEntries(USAGE_FILTERS.map((name) => [name, filters[name] ?? '']))
  for (const [name, value] of Object.entries({ ...change, ...changed })) {
    if (value === '') next.delete(name)
    else next.set(name, value)
  }
  return next
}
