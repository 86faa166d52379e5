import { formatNumber } from './format.ts'

/** In percent: more says less than how many times as much a value is. */
const PERCENT_MAX = 999

/** `+12 %` or `×24,703`, or null without a value to compare with. */
export function changeText(value: number | null, previous: number | null): string | null {
  if (value === null || previous === null || previous === 0) return null
  // `|| 0` keeps a small loss from reading "-0 %".
  const percent = Math.round(((value - previous) / Math.abs(previous)) * 100) || 0
  if (Math.abs(percent) > PERCENT_MAX) {
    if (value > 0 && previous > 0) return `×${formatNumber(Math.round(value / previous))}`
    // A loss in place of a gain, or the reverse, is no multiple.
    return percent > 0 ? `> +${PERCENT_MAX} %` : `< -${PERCENT_MAX} %`
  }
  return `${percent > 0 ? '+' : ''}${formatNumber(percent)} %`
}
