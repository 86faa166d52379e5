import {
  formatCount,
  formatMoney,
  formatNumber,
  formatQuota,
  MONEY_DIGITS,
  type MoneySettings,
} from '../../lib/format.ts'
import { decimalsOf } from './scale.ts'

const COMPACT_FROM = 10_000
const CENTS_DIGITS = MONEY_DIGITS.list

/** Formatter with the precision the largest amount needs. A non-zero amount never shows as zero. */
export function spendFormat(max: number, settings: MoneySettings): (quota: number) => string {
  const { quotaPerUnit, inCurrency } = settings
  if (!inCurrency) return formatNumber
  const isTiny = max > 0 && max < quotaPerUnit
  const digits = isTiny ? MONEY_DIGITS.receipt : MONEY_DIGITS.list
  const minVisible = quotaPerUnit / 10 ** digits
  return (quota) =>
    quota > 0 && quota < minVisible
      ? `<${formatMoney(minVisible, quotaPerUnit, digits)}`
      : formatMoney(quota, quotaPerUnit, digits)
}

export const formatSpend = formatQuota

/** Compact format for chart ticks. */
export function formatSpendTick(quota: number, step: number, settings: MoneySettings): string {
  const { quotaPerUnit, inCurrency } = settings
  if (!inCurrency) return formatCountTick(quota)
  const dollars = quota / quotaPerUnit
  if (dollars >= COMPACT_FROM) return `$${formatCount(dollars)}`
  const decimals = decimalsOf(step / quotaPerUnit)
  return formatMoney(quota, quotaPerUnit, decimals === 0 ? 0 : Math.max(CENTS_DIGITS, decimals))
}

export const formatCountTick = (value: number) =>
  value >= COMPACT_FROM ? formatCount(value) : formatNumber(value)
