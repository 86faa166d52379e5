import type { HealthWord } from '@tollgate/contract'
import { formatTime } from '../../lib/format.ts'
import type { Tone } from '../../ui/state-dot.tsx'

export const HEALTH_TONES: Readonly<Record<HealthWord, Tone>> = {
  failing: 'bad',
  cooling: 'slow',
  slow: 'slow',
  degraded: 'slow',
  untested: 'off',
  healthy: 'good',
  off: 'off',
}

const DAY_LENGTH = 'yyyy-mm-dd '.length
const MINUTE_LENGTH = 'yyyy-mm-dd hh:mm'.length

/** The hour and minute; of another day, with the day. */
export function sinceText(seconds: number, now: number): string {
  const text = formatTime(seconds).slice(0, MINUTE_LENGTH)
  const isToday = text.slice(0, DAY_LENGTH) === formatTime(now).slice(0, DAY_LENGTH)
  return isToday ? text.slice(DAY_LENGTH) : text
}
