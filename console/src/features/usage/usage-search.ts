import {
  hasUsageMetric,
  OWN_USAGE_DIMENSIONS,
  OWN_USAGE_METRICS,
  USAGE_DIMENSIONS,
  USAGE_METRICS,
  type UsageDimension,
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
}

export const metricsOf = (isAdmin: boolean): readonly UsageMetric[] =>
  isAdmin ? USAGE_METRICS : OWN_USAGE_METRICS

export const dimensionsOf = (isAdmin: boolean): readonly UsageDimension[] =>
  isAdmin ? USAGE_DIMENSIONS : OWN_USAGE_DIMENSIONS

const DATE = /^\d{4}-\d{2}-\d{2}$/

/** A year that is being typed begins with zeros. */
export const FIRST_DATE = '2000-01-01'

const dateOf = (text: string | null) =>
  text !== null && DATE.test(text) && text >= FIRST_DATE && !Number.isNaN(Date.parse(text))
    ? text
    : ''

/** Invalid values fall back to defaults; a metric that the dimension lacks becomes spend. */
export function parseUsageSearch(search: URLSearchParams, isAdmin: boolean): UsageSearch {
  const by = oneOf(dimensionsOf(isAdmin), search.get('by')) ?? 'model'
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
  }
}

export function withUsageSearch(
  search: URLSearchParams,
  change: Partial<Omit<UsageSearch, 'asked'>>,
): URLSearchParams {
  const next = new URLSearchParams(search)
  for (const [name, value] of Object.entries(change)) {
    if (value === '') next.delete(name)
    else next.set(name, value)
  }
  return next
}
