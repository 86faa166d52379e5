import type { ChannelStat, StatBucket, Usage } from '@tollgate/contract'
import { type Series, withOther } from '../../ui/chart/series.ts'
import { slotAt, type Span } from '../../ui/chart/span.ts'

export const METRICS = ['quota', 'requests', 'failures'] as const

export type Metric = (typeof METRICS)[number]

/** One series per model, highest spend first, so that each model keeps its look. */
export function seriesOf(
  usage: Pick<Usage, 'buckets' | 'models'>,
  { span, count, metric, otherName }: SeriesOptions,
): Series[] {
  const byModel = new Map<string, number[]>()
  for (const { model_name } of usage.models) byModel.set(model_name, [])
  for (const bucket of usage.buckets) {
    const slot = slotAt(span, bucket.start)
    if (slot < 0 || slot >= count) continue
    const values = byModel.get(bucket.model_name) ?? []
    byModel.set(bucket.model_name, values)
    values[slot] = (values[slot] ?? 0) + bucket[metric]
  }
  const series = [...byModel]
    .filter(([, values]) => values.length > 0)
    .map(([name, values]) => ({
      id: `model ${name}`,
      name,
      values: Array.from({ length: count }, (_, slot) => values[slot] ?? 0),
    }))
  const named = series.filter(({ name }) => name !== '')
  const rest = series.filter(({ name }) => name === '')
  return withOther(named, rest, otherName)
}

type SeriesOptions = { span: Span; count: number; metric: Metric; otherName: string }

/** Today so far, from the buckets of its day. */
export function todayOf(buckets: readonly StatBucket[], { today }: Span) {
  const sums = { quota: 0, requests: 0 }
  for (const { start, quota, requests } of buckets) {
    if (start < today) continue
    sums.quota += quota
    sums.requests += requests
  }
  return sums
}

/**
 * The share of the input that was read from caches. Rounded down, so that 100 % means all, but 0 %
 * means none.
 */
export function cacheHitText(cachedTokens: number, promptTokens: number): string {
  const percent = (cachedTokens / promptTokens) * 100
  return percent > 0 && percent < 1 ? '<1 %' : `${Math.floor(percent)} %`
}

export type Difference =
  | { kind: 'none' | 'new' | 'same' }
  | { kind: 'more' | 'less'; by: number; percent: number }

/**
 * Compares today so far with yesterday at this hour. Without requests then there is no percentage.
 */
export function differenceOf(today: number, yesterday: number): Difference {
  if (yesterday === 0) return { kind: today === 0 ? 'none' : 'new' }
  if (today === yesterday) return { kind: 'same' }
  const by = Math.abs(today - yesterday)
  return { kind: today > yesterday ? 'more' : 'less', by, percent: (by / yesterday) * 100 }
}

/** Median response times of a channel, one per slot; null where nothing was measured. */
export function latencyOf(
  { buckets }: Pick<ChannelStat, 'buckets'>,
  span: Span,
  count: number,
): (number | null)[] {
  const bySlot = new Map(
    buckets.map(({ start, latency_p50 }) => [slotAt(span, start), latency_p50]),
  )
  return Array.from({ length: count }, (_, slot) => bySlot.get(slot) ?? null)
}
