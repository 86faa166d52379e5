import {
  formatCount,
  formatMoney,
  formatNumber,
  MONEY_DIGITS,
  type MoneySettings,
} from '../../lib/format.ts'
import { decimalsOf } from './scale.ts'

const COMPACT_FROM = 10_000
const CENTS_DIGITS = MONEY_DIGITS.list

/** Compact format for chart ticks. */
export function formatSpendTick(quota: number, step: number, settings: MoneySettings): string {
  const { quotaPerUnit, inCurrency } = settings
  if (!inCurrency) return formatCountTick(quota)
  const dollars = quota / quotaPerUnit
  if (Math.abs(dollars) >= COMPACT_FROM) {
    return `${dollars < 0 ? '-' : ''}$${withoutZero(formatCount(Math.abs(dollars)))}`
  }
  const decimals = decimalsOf(step / quotaPerUnit)
  return formatMoney(quota, quotaPerUnit, decimals === 0 ? 0 : Math.max(CENTS_DIGITS, decimals))
}

/** Ticks are round, so that their decimal is mostly a zero. */
const withoutZero = (count: string) => count.replace(/\.0(?=\D)/, '')

export const formatCountTick = (value: number) =>
  value >= COMPACT_FROM ? withoutZero(formatCount(value)) : formatNumber(value)

/** With the decimals that neighbours need to differ: 0, 500 ms, 1.0 s. */
export function formatDurationTick(milliseconds: number, step: number): string {
  if (milliseconds === 0) return '0'
  if (milliseconds < 1000) return `${formatNumber(milliseconds)} ms`
  return `${(milliseconds / 1000).toFixed(decimalsOf(step / 1000))} s`
}
