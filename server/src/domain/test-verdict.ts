import { CHANNEL_STATUS, type OptionValues } from '@tollgate/contract'

type Tested = {
  /** Before the test. */
  readonly status: number
  /** Duration of the last passed test; 0 before the first. */
  readonly lastMs: number
  /** `untestable` says nothing about the channel. */
  readonly outcome: 'passed' | 'failed' | 'untestable'
  readonly milliseconds: number
  readonly message: string
  /** The provider rejected the account or every key. */
  readonly namesKey: boolean
}

type TestOptions = Pick<
  OptionValues,
  'AutomaticDisableChannelEnabled' | 'AutomaticEnableChannelEnabled' | 'ChannelDisableThreshold'
>

export type TestVerdict = {
  readonly event: 'disabled' | 'enabled' | 'slow'
  readonly reason: string
}

const MS = 1000

/**
 * What a test means for its channel; null for no change. A manually disabled channel stays
 * disabled.
 */
export function judgeTest(tested: Tested, options: TestOptions): TestVerdict | null {
  const { status, lastMs, outcome, milliseconds, message, namesKey } = tested
  const ok = outcome === 'passed'
  const limitMs = options.ChannelDisableThreshold * MS
  const isSlow = limitMs > 0 && milliseconds > limitMs
  if (status === CHANNEL_STATUS.autoDisabled) {
    const revives = ok && !isSlow && options.AutomaticEnableChannelEnabled
    return revives ? { event: 'enabled', reason: '' } : null
  }
  if (status !== CHANNEL_STATUS.enabled) return null
  const disables = options.AutomaticDisableChannelEnabled
  if (outcome === 'failed' && namesKey && disables) return { event: 'disabled', reason: message }
  // A slow failure counts as transient, like any other failure.
  if (!ok || !isSlow) return null
  const reason = `The test took ${milliseconds / MS} s, more than the ${limitMs / MS} s allowed.`
  if (disables) return { event: 'disabled', reason }
  // The operator was alerted when the channel became slow.
  return lastMs <= limitMs ? { event: 'slow', reason } : null
}
