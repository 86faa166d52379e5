import type { Channel } from '@tollgate/contract'
import { descriptorOf } from '@tollgate/relay/catalogue'
import { formatDecimal, formatNumber, NO_VALUE } from '../../lib/format.ts'

const DIVISORS = { usd: 1, cny: 1, 'cny/10000': 10_000 } as const
const SIGNS = { usd: '$', cny: '¥', 'cny/10000': '¥' } as const

type ReportedBalance = Pick<Channel, 'type' | 'balance' | 'balance_updated_time'>

/** Null if the provider reports no balance; a dash if it was never requested. */
export function balanceText({
  type,
  balance,
  balance_updated_time,
}: ReportedBalance): string | null {
  const isReported = balance_updated_time !== 0
  const unit = descriptorOf(type)?.balanceUnit ?? null
  // Some providers report a number whose unit the catalogue does not know.
  if (unit === null && !isReported) return null
  if (!isReported) return NO_VALUE
  if (unit === null || unit === 'number') return formatNumber(balance)
  return formatAmount(balance / DIVISORS[unit], SIGNS[unit])
}

function formatAmount(amount: number, sign: string) {
  return `${amount < 0 ? '-' : ''}${sign}${formatDecimal(Math.abs(amount), 2)}`
}
