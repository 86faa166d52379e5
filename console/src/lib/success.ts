import type { ChannelStat, StatFigures } from '@tollgate/contract'
import { NO_VALUE } from './format.ts'

type Counted = Pick<StatFigures, 'requests' | 'failures'>

/** The shares at which the health of a channel changes: large providers fail one in a hundred. */
const GOOD_MIN = 0.95
const SLOW_MIN = 0.5

/** Counts requests that failed over to another channel as failures of this channel. */
export const byAttempts = (stat: ChannelStat): ChannelStat => ({
  ...stat,
  requests: stat.requests + stat.lost,
  failures: stat.failures + stat.lost,
})

/** Share of successful requests; null without requests. */
const successOf = ({ requests, failures }: Counted) =>
  requests === 0 ? null : (requests - failures) / requests

/** Rounded down, so that a single failure never shows as 100 %. */
export function successText(counted: Counted): string {
  const success = successOf(counted)
  return success === null ? NO_VALUE : `${(Math.floor(success * 1000) / 10).toFixed(1)} %`
}

const STEPS = 1000
/** Above the error of floating-point products, such as 0.57 × 100. */
const PRODUCT_ERROR = 1e-9

/** Such as 33.3 %. Rounded down, so that 100 % means all; a small share is not shown as none. */
export function shareText(share: number): string {
  const steps = Math.floor(share * STEPS + PRODUCT_ERROR)
  return share > 0 && steps === 0 ? '<0.1 %' : `${steps / 10} %`
}

export function successTone(counted: Counted): 'good' | 'slow' | 'bad' | 'off' {
  const success = successOf(counted)
  if (success === null) return 'off'
  if (success >= GOOD_MIN) return 'good'
  return success >= SLOW_MIN ? 'slow' : 'bad'
}
