/** Below these shares, a day counts as degraded or as down. */
const GOOD_SHARE = 0.99
const DEGRADED_SHARE = 0.9

export const TONES = ['good', 'slow', 'bad', 'none'] as const

export type DayTone = (typeof TONES)[number]

export function toneOf(share: number | null): DayTone {
  if (share === null) return 'none'
  if (share >= GOOD_SHARE) return 'good'
  return share >= DEGRADED_SHARE ? 'slow' : 'bad'
}

export const STATE_TONES = {
  healthy: 'good',
  degraded: 'slow',
  down: 'bad',
  untested: 'off',
} as const

/** Such as 99.98 %. Shares are rounded down, so that 100 % has no exception. */
export const shareText = (share: number) => `${Number((share * 100).toFixed(2))} %`

const DAY_MS = 86_400_000

/** The date of a day, counted from the first; noon is in the same day wherever it is read. */
export const dayDate = (start: number, day: number) => new Date(start * 1000 + (day + 0.5) * DAY_MS)
