import { formatNumber } from './format.ts'

/** `+12 %`, or null without a value to compare with. */
export function changeText(value: number | null, previous: number | null): string | null {
  if (value === null || previous === null || previous === 0) return null
  // `|| 0` keeps a small loss from reading "-0 %".
  const percent = Math.round(((value - previous) / Math.abs(previous)) * 100) || 0
  return `${percent > 0 ? '+' : ''}${formatNumber(percent)} %`
}
