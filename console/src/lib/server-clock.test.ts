import { afterEach, expect, test, vi } from 'vitest'
import { noteServerTime, nowSeconds } from './server-clock.ts'

const NOW = Date.parse('2026-11-29T12:00:00Z')
const HOUR = 3600

afterEach(() => {
  noteServerTime(new Date().toUTCString())
  vi.useRealTimers()
})

test('a clock that is hours off is corrected by the answers of the server', () => {
  vi.useFakeTimers({ now: NOW })
  noteServerTime('Sun, 29 Nov 2026 20:00:00 GMT')
  expect(nowSeconds()).toBe(NOW / 1000 + 8 * HOUR)
  vi.advanceTimersByTime(60_000)
  expect(nowSeconds()).toBe(NOW / 1000 + 8 * HOUR + 60)
  noteServerTime(null)
  noteServerTime('soon')
  expect(nowSeconds()).toBe(NOW / 1000 + 8 * HOUR + 60)
  noteServerTime('Sun, 29 Nov 2026 04:01:00 GMT')
  expect(nowSeconds()).toBe(NOW / 1000 - 8 * HOUR + 60)
})

test('the time that an answer takes is no difference', () => {
  vi.useFakeTimers({ now: NOW })
  noteServerTime('Sun, 29 Nov 2026 11:59:10 GMT')
  expect(nowSeconds()).toBe(NOW / 1000)
})
