import type { StatFigures } from '@tollgate/contract'
import { NO_VALUE } from './format.ts'

type Counted = Pick<StatFigures, 'requests' | 'failures'>

const GOOD_MIN = 0.99
const SLOW_MIN = 0.9

/** The share of requests that were answered; null when there was none. */
const successOf = ({ requests, failures }: Counted) =>
  requests === 0 ? null : (requests - failures) / requests

/** Rounded down: what failed once does not read as 100 %. */
export function successText(counted: Counted): string {
  const success = successOf(counted)
  return success === null ? NO_VALUE : `${(Math.floor(success * 1000) / 10).toFixed(1)} %`
}

export function successTone(counted: Counted): 'good' | 'slow' | 'bad' | 'off' {
  const success = successOf(counted)
  if (success === null) return 'off'
  if (success >= GOOD_MIN) return 'good'
  return success >= SLOW_MIN ? 'slow' : 'bad'
}
