import { expect, test } from 'vitest'
import type { LimitLine } from './limit-store.ts'
import { durationText, type Rated, setRateHeaders } from './rate-headers.ts'

test.each([
  [0, '0ms'],
  [0.2, '1ms'],
  [20, '20ms'],
  [999.1, '1s'],
  [1001, '2s'],
  [59_999, '1m0s'],
  [60_000, '1m0s'],
  [61_001, '1m2s'],
])('%d ms are written as %s', (milliseconds, text) => {
  expect(durationText(milliseconds)).toBe(text)
})

const line = (
  scope: LimitLine['scope'],
  measure: LimitLine['measure'],
  most: number,
  amount = 1,
) => ({
  scope,
  id: 1,
  measure,
  max: most,
  amount,
})
const lines = [
  line('user', 'requests', 10),
  line('token', 'requests', 100),
  line('user', 'tokens', 500, 40),
  line('group', 'concurrent', 2),
]
const states = [
  { used: 3, waitMs: 0, resetMs: 20_000 },
  { used: 95, waitMs: 0, resetMs: 30_000 },
  { used: 600, waitMs: 1500, resetMs: 40_000 },
  { used: 1, waitMs: 0, resetMs: 0 },
]

function headersOf(rated: readonly Rated[], isTaken: boolean) {
  const headers: Record<string, string> = {}
  const setHeader = (name: string, value: string) => (headers[name] = value)
  setRateHeaders({ setHeader }, rated, isTaken)
  return headers
}

test('per measure, the limit with the least left is shown, never below zero', () => {
  expect(headersOf([{ lines, states }], false)).toEqual({
    'x-ratelimit-limit-requests': '100',
    'x-ratelimit-remaining-requests': '5',
    'x-ratelimit-reset-requests': '30s',
    'x-ratelimit-limit-tokens': '500',
    'x-ratelimit-remaining-tokens': '0',
    'x-ratelimit-reset-tokens': '40s',
  })
})

test('an admitted request is included in its own headers', () => {
  expect(headersOf([{ lines: lines.slice(0, 1), states }], true)).toEqual({
    'x-ratelimit-limit-requests': '10',
    'x-ratelimit-remaining-requests': '6',
    'x-ratelimit-reset-requests': '1m0s',
  })
})

test('a caller without limits per minute receives no headers', () => {
  expect(headersOf([{ lines: lines.slice(3), states: states.slice(3) }], true)).toEqual({})
})

test('two steps of one request are shown together, and a peek only if nothing was taken', () => {
  const peek = { ...line('user', 'tokens', 500), isPeek: true }
  const arrived = { lines: [line('user', 'requests', 10), peek], states: states.slice(0, 2) }
  const served = {
    lines: [line('user', 'tokens', 500, 40)],
    states: [{ used: 100, waitMs: 0, resetMs: 0 }],
  }
  expect(headersOf([served, arrived], true)).toMatchObject({
    'x-ratelimit-remaining-requests': '6',
    'x-ratelimit-remaining-tokens': '360',
  })
  expect(headersOf([arrived], false)).toMatchObject({
    'x-ratelimit-remaining-requests': '7',
    'x-ratelimit-remaining-tokens': '405',
  })
})
