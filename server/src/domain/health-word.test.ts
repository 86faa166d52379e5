import { expect, test } from 'vitest'
import { CHANNEL_STATUS, type InBoth } from '@tollgate/contract'
import { type Fault, type HealthInput, judgeHealth } from './health-word.ts'

const HOUR = 500_000
const NOW = HOUR * 3600 + 1800
const text = (words: string): InBoth => ({ en: words, zh: words })

const QUIET: HealthInput = {
  status: CHANNEL_STATUS.enabled,
  status_reason: text(''),
  status_time: 77,
  test_outcome: '',
  test_error: text(''),
  test_time: 0,
  response_time: 0,
  shutModels: [],
  answers: [],
  faults: [],
  recentMs: null,
  recentTimes: 0,
  usualMs: null,
  cooling: { models: 0, of: 4, untilMs: 0 },
  hour: HOUR,
}

const judge = (input: Partial<HealthInput>) => judgeHealth({ ...QUIET, ...input })
const wordOf = (input: Partial<HealthInput>) => judge(input).word

const fault = (faults: number, part: Partial<Fault> = {}): Fault => ({
  hour: HOUR,
  kind: 'upstream_fault',
  reason: text('boom'),
  faults,
  last_at: NOW,
  ...part,
})
const answers = (count: number, hour = HOUR) => [{ hour, answers: count }]

test('a switched-off channel is off, and failing if the gateway switched it off', () => {
  expect(judge({ status: CHANNEL_STATUS.disabled })).toMatchObject({ word: 'off', since: 77 })
  const disabled = { status: CHANNEL_STATUS.autoDisabled, answers: answers(100) }
  expect(judge({ ...disabled, status_reason: text('Incorrect API key') })).toEqual({
    word: 'failing',
    reason: text('Incorrect API key'),
    since: 77,
    help: 'key',
  })
  expect(judge(disabled).reason.en).toBe('Disabled automatically.')
  const tested = { ...disabled, test_outcome: 'passed' } as const
  expect(judge({ ...tested, test_time: 77 }).help).toBe('enable')
  expect(judge({ ...tested, test_time: 76 }).help).toBe('key')
})

test('a channel fails while most of at least three recent attempts fail', () => {
  expect(wordOf({ faults: [fault(2)] })).not.toBe('failing')
  expect(wordOf({ faults: [fault(3)] })).toBe('failing')
  expect(wordOf({ faults: [fault(50)], answers: answers(50) })).toBe('degraded')
  expect(wordOf({ faults: [fault(51)], answers: answers(50) })).toBe('failing')
  const old = { hour: HOUR - 2, last_at: NOW - 7200 }
  expect(wordOf({ faults: [fault(50, old)], answers: answers(1) })).toBe('healthy')
})

test('a channel without recent attempts is as its last attempts and tests were', () => {
  const old = { hour: HOUR - 5, last_at: NOW - 18_000 }
  const failed = { faults: [fault(50, old)] }
  expect(judge(failed)).toMatchObject({ word: 'failing', since: (HOUR - 5) * 3600 })
  expect(wordOf({ ...failed, answers: answers(9, HOUR - 9) })).toBe('failing')
  expect(wordOf({ ...failed, answers: answers(900, HOUR - 5) })).toBe('degraded')
  const passed = { ...failed, test_outcome: 'passed' } as const
  expect(wordOf({ ...passed, test_time: NOW - 18_001 })).toBe('failing')
  expect(wordOf({ ...passed, test_time: NOW - 18_000 })).toBe('healthy')
  const tested = { test_outcome: 'failed', test_time: NOW } as const
  expect(wordOf({ ...tested, answers: answers(9, HOUR - 5) })).toBe('failing')
  // An hour of failures alone has a row of no answers.
  expect(wordOf({ ...tested, faults: [fault(2)], answers: answers(0) })).toBe('failing')
})

test('the reason says how many attempts failed, and what the provider said last', () => {
  const faults = [fault(3), fault(1, { kind: 'auth', reason: text('Incorrect API key') })]
  const { reason, help } = judge({ faults, answers: answers(1) })
  expect(reason.en).toBe('4 of 5 recent attempts failed: Incorrect API key')
  expect(reason.zh).toBe('近期 5 次尝试中 4 次失败：Incorrect API key')
  expect(help).toBe('key')
})

test('a channel fails since the first of the latest hours in a row that failed', () => {
  const at = (hour: number, part: Partial<Fault> = {}) =>
    fault(5, { hour, last_at: hour * 3600, ...part })
  const faults = [at(HOUR - 9), at(HOUR - 6), at(HOUR - 4), at(HOUR)]
  const { since } = judge({ faults, answers: answers(100, HOUR - 8) })
  expect(since).toBe((HOUR - 6) * 3600)
})

test('a failed test counts only while nothing else says that the channel answers', () => {
  const failed = { test_outcome: 'failed', test_error: text('no'), test_time: NOW } as const
  expect(judge(failed)).toMatchObject({ word: 'failing', since: NOW })
  expect(judge(failed).reason.en).toBe('The last test failed: no')
  expect(wordOf({ ...failed, answers: answers(1) })).toBe('degraded')
})

test('a test that passed after the failures ends them', () => {
  const faults = [fault(9, { last_at: NOW - 60 })]
  const passed = { test_outcome: 'passed', response_time: 4 } as const
  expect(wordOf({ faults, ...passed, test_time: NOW - 61 })).toBe('failing')
  expect(judge({ faults, ...passed, test_time: NOW - 60 })).toMatchObject({
    word: 'healthy',
    reason: { en: 'The last test passed in 4 ms.' },
  })
})

test('a channel that the circuit breaker skips is cooling, unless it is failing for good', () => {
  const cooling = { models: 1, of: 4, untilMs: 8200 }
  expect(judge({ cooling, answers: answers(9) }).reason.en).toBe(
    '1 of 4 models skipped for 9 s after failures.',
  )
  expect(wordOf({ cooling, faults: [fault(9)] })).toBe('failing')
  const limited = [fault(9, { kind: 'rate_limit', reason: text('slow down') })]
  const all = { models: 4, of: 4, untilMs: 8200 }
  expect(judge({ cooling: all, faults: limited })).toMatchObject({
    word: 'cooling',
    reason: { en: 'Skipped for 9 s after failures: slow down' },
  })
})

test('a channel is slow against its own day, or beyond any patience', () => {
  const times = (recentMs: number, usualMs: number | null, recentTimes = 5) =>
    wordOf({ recentMs, usualMs, recentTimes, answers: answers(9) })
  expect(times(2900, 500)).toBe('healthy')
  expect(times(3000, 1500)).toBe('slow')
  expect(times(3000, 1501)).toBe('healthy')
  expect(times(9999, 8000)).toBe('healthy')
  expect(times(10_000, 8000)).toBe('slow')
  expect(times(10_000, null)).toBe('slow')
  expect(times(60_000, 500, 4)).toBe('healthy')
})

test('a channel is degraded below 95 % of at least twenty attempts', () => {
  expect(wordOf({ faults: [fault(3)], answers: answers(16) })).toBe('healthy')
  expect(wordOf({ faults: [fault(3)], answers: answers(17) })).toBe('degraded')
  expect(wordOf({ faults: [fault(5)], answers: answers(95) })).toBe('healthy')
  expect(wordOf({ faults: [fault(6)], answers: answers(94) })).toBe('degraded')
})

test('models that were shut down degrade a channel', () => {
  const { word, reason, help } = judge({ shutModels: ['a', 'b', 'c', 'd'], answers: answers(9) })
  expect([word, help]).toEqual(['degraded', 'models'])
  expect(reason.en).toBe('Shut down by the vendor: a, b, c …')
})

test('a channel without requests is as its test says, and untested without one', () => {
  expect(wordOf({})).toBe('untested')
  expect(judge({ faults: [fault(2)] })).toMatchObject({
    word: 'untested',
    reason: { en: '2 of 2 recent attempts failed: boom' },
  })
  expect(judge({ test_outcome: 'untestable', test_error: text('no way') })).toMatchObject({
    word: 'untested',
    reason: { en: 'No requests in 24 hours, and not testable: no way' },
  })
  expect(wordOf({ test_outcome: 'passed', response_time: 1 })).toBe('healthy')
})

test('a single failure never shows as 100 %', () => {
  const { reason } = judge({ faults: [fault(1)], answers: answers(99_999) })
  expect(reason.en).toBe('99.9 % of 100,000 attempts in 24 hours succeeded.')
})
