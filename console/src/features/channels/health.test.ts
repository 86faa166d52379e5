import { expect, test } from 'vitest'
import { healthSpan, latencies } from './health.ts'

test('the span is 24 whole hours, the current one last, and hours without requests are gaps', () => {
  const span = healthSpan(1_700_000_123)
  expect(span.end_timestamp - span.start_timestamp).toBe(24 * 3600)
  expect(span.end_timestamp).toBeGreaterThan(1_700_000_123)
  expect(span.end_timestamp % 3600).toBe(0)
  const bucket = { start: span.end_timestamp - 3600, requests: 1, failures: 0, latency_p50: 840 }
  const values = latencies({ buckets: [bucket] }, span.start_timestamp)
  expect(values).toHaveLength(24)
  expect(values.at(-1)).toBe(840)
  expect(values.filter((value) => value === null)).toHaveLength(23)
})
