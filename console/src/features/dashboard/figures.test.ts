import { expect, test } from 'vitest'
import type { StatBucket } from '@tollgate/contract'
import { OTHER, totalAt } from '../../ui/chart/series.ts'
import { spanOf } from '../../ui/chart/span.ts'
import { cacheHitText, differenceOf, seriesOf, todayOf } from './figures.ts'

const DAY = 86_400
const span = spanOf('7d', Date.parse('2026-04-22T09:00:00Z') / 1000, 'UTC')
const { today } = span

const row = (start: number, model_name: string, quota: number, requests = 1): StatBucket => ({
  start,
  model_name,
  quota,
  requests,
  failures: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
})

const options = { span, count: 7, metric: 'quota', otherName: 'Other' } as const

test('every bucket is drawn once, in its day, and nothing is lost', () => {
  const buckets = [
    row(today - 6 * DAY, 'a', 1),
    row(today - DAY, 'a', 2),
    row(today - DAY, 'b', 4),
    row(today, '', 8),
  ]
  const models = [row(0, 'b', 4), row(0, 'a', 3), row(0, 'z', 8)]
  const series = seriesOf({ buckets, models }, options)
  expect(series).toEqual([
    { id: 'model b', name: 'b', values: [0, 0, 0, 0, 0, 4, 0] },
    { id: 'model a', name: 'a', values: [1, 0, 0, 0, 0, 2, 0] },
    { id: OTHER, name: 'Other', values: [0, 0, 0, 0, 0, 0, 8] },
  ])
  const drawn = [...Array(7).keys()].reduce((sum, slot) => sum + totalAt(series, slot), 0)
  expect(drawn).toBe(15)
})

test('a model named like the group "others" is kept apart', () => {
  const series = seriesOf(
    { buckets: [row(today, 'other', 1), row(today, '', 2)], models: [] },
    options,
  )
  expect(series.map(({ id }) => id)).toEqual(['model other', OTHER])
})

test('today and yesterday are summed over all models', () => {
  const buckets = [
    row(today - 2 * DAY, 'a', 100),
    row(today - DAY, 'a', 2),
    row(today - 1, '', 4),
    row(today, 'a', 8, 3),
  ]
  expect(todayOf(buckets, span)).toEqual({ quota: 8, requests: 3 })
})

test('has no percentage without requests', () => {
  expect(differenceOf(5, 0)).toEqual({ kind: 'new' })
  expect(differenceOf(0, 0)).toEqual({ kind: 'none' })
  expect(differenceOf(4, 4)).toEqual({ kind: 'same' })
  expect(differenceOf(0, 4)).toEqual({ kind: 'less', by: 4, percent: 100 })
  expect(differenceOf(6, 4)).toEqual({ kind: 'more', by: 2, percent: 50 })
})

test.each([
  [0, '0 %'],
  [1, '<1 %'],
  [999, '99 %'],
  [1000, '100 %'],
])('%i of 1000 tokens from caches are %s', (cached, text) => {
  expect(cacheHitText(cached, 1000)).toBe(text)
})
