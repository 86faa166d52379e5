import type { Channel } from '@tollgate/contract'
import { descriptorOf, type MoneyBalance, moneyBalance } from '@tollgate/relay/catalogue'
import { formatDollars, formatNumber, NO_VALUE } from '../../lib/format.ts'

const SIGNS = { USD: '$', CNY: '¥' } as const

type ReportedBalance = Pick<Channel, 'type' | 'balance' | 'balance_updated_time'>

/** Null if the provider reports no balance; a dash if it was never requested. */
export function balanceText({
  type,
  balance,
  balance_updated_time,
}: ReportedBalance): string | null {
  const isReported = balance_updated_time !== 0
  // Some providers report a number whose unit the catalogue does not know.
  if (!isReported) return descriptorOf(type)?.balanceUnit ? NO_VALUE : null
  const money = moneyBalance(type, balance)
  return money === null ? formatNumber(balance) : formatAmount(money)
}

const formatAmount = ({ amount, currency }: MoneyBalance) =>
  formatDollars(amount, 1).replace('$', SIGNS[currency])
