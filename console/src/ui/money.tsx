import {
  formatMoney,
  formatNumber,
  formatQuota,
  MONEY_DIGITS,
  type MoneySettings,
} from '../lib/format.ts'

type Props = { quota: number; settings: MoneySettings; digits?: keyof typeof MONEY_DIGITS }

export function Money({ quota, settings, digits = 'list' }: Props) {
  const { inCurrency, quotaPerUnit } = settings
  return (
    <span className="numbers" title={formatNumber(quota)}>
      {inCurrency && digits === 'receipt'
        ? formatMoney(quota, quotaPerUnit, MONEY_DIGITS.receipt)
        : formatQuota(quota, settings)}
    </span>
  )
}
