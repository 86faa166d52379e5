import { expect, test } from 'vitest'
import { CHANNEL_STATUS } from '@tollgate/contract'
import { judgeTest } from './test-verdict.ts'

const { enabled, disabled, autoDisabled } = CHANNEL_STATUS

const OPTIONS = {
  AutomaticDisableChannelEnabled: true,
  AutomaticEnableChannelEnabled: true,
  ChannelDisableThreshold: 5,
}
type Test = Omit<Parameters<typeof judgeTest>[0], 'status'>
const PASSED: Test = {
  outcome: 'passed',
  milliseconds: 100,
  message: '',
  namesKey: false,
  lastMs: 0,
}
const FAILED: Test = { ...PASSED, outcome: 'failed', message: 'no' }
const REFUSED = { ...FAILED, namesKey: true }
const SLOW = { ...PASSED, milliseconds: 5001 }

const judge = (status: number, test: Test, options: Partial<typeof OPTIONS> = {}) =>
  judgeTest({ ...test, status }, { ...OPTIONS, ...options })

const WITHOUT_DISABLING = { AutomaticDisableChannelEnabled: false }

test('an enabled channel is disabled for its key or its slowness only', () => {
  expect(judge(enabled, PASSED)).toBeNull()
  expect(judge(enabled, FAILED)).toBeNull()
  expect(judge(enabled, REFUSED)).toEqual({ event: 'disabled', reason: 'no' })
  const reason = 'The test took 5.001 s, more than the 5 s allowed.'
  expect(judge(enabled, SLOW)).toEqual({ event: 'disabled', reason })
  expect(judge(enabled, { ...FAILED, milliseconds: 60_000 })).toBeNull()
  expect(judge(enabled, { ...SLOW, milliseconds: 5000 })).toBeNull()
})

test('without the option a refused key changes nothing, and slowness is reported when it begins', () => {
  expect(judge(enabled, REFUSED, WITHOUT_DISABLING)).toBeNull()
  expect(judge(enabled, SLOW, WITHOUT_DISABLING)).toMatchObject({ event: 'slow' })
  expect(judge(enabled, { ...SLOW, lastMs: 6000 }, WITHOUT_DISABLING)).toBeNull()
  expect(judge(enabled, { ...SLOW, outcome: 'failed' }, WITHOUT_DISABLING)).toBeNull()
})

test('a threshold of 0 allows any duration', () => {
  const options = { ChannelDisableThreshold: 0 }
  expect(judge(enabled, { ...SLOW, milliseconds: 60_000 }, options)).toBeNull()
  expect(judge(autoDisabled, SLOW, options)).toMatchObject({ event: 'enabled' })
})

test('only an auto-disabled channel is enabled, by a test that would not disable it', () => {
  expect(judge(autoDisabled, PASSED)).toEqual({ event: 'enabled', reason: '' })
  expect(judge(autoDisabled, PASSED, { AutomaticEnableChannelEnabled: false })).toBeNull()
  for (const test of [FAILED, REFUSED, SLOW]) expect(judge(autoDisabled, test)).toBeNull()
  for (const test of [PASSED, FAILED, REFUSED, SLOW]) expect(judge(disabled, test)).toBeNull()
})

test('a channel that cannot be tested keeps its status', () => {
  const untestable: Test = { ...REFUSED, outcome: 'untestable' }
  for (const status of [enabled, disabled, autoDisabled]) {
    expect(judge(status, untestable)).toBeNull()
  }
})
