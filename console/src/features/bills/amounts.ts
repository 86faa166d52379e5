import { formatDecimal, NO_VALUE } from '../../lib/format.ts'

const NANO = 1e9
const CENT_NANO = 1e7

/** Small amounts have more digits, so that they do not all read $0.00. */
export function dollars(nano: number | null): string {
  if (nano === null) return NO_VALUE
  const digits = nano !== 0 && Math.abs(nano) < 100 * CENT_NANO ? 6 : 2
  const sign = nano < 0 ? '−' : ''
  return `${sign}$${formatDecimal(Math.abs(nano) / NANO, digits)}`
}

export const signedDollars = (nano: number | null): string =>
  nano !== null && nano > 0 ? `+${dollars(nano)}` : dollars(nano)

export function percentText(percent: number | null): string {
  if (percent === null) return NO_VALUE
  const sign = percent > 0 ? '+' : percent < 0 ? '−' : ''
  return `${sign}${formatDecimal(Math.abs(percent), 2)} %`
}
