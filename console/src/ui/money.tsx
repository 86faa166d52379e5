import {
  formatMoney,
  formatNumber,
  formatQuota,
  MONEY_DIGITS,
  type MoneySettings,
} from '../lib/format.ts'
import { useColumnFormat } from './column-amounts.tsx'

type Props = {
  quota: number
  settings: MoneySettings
  digits?: keyof typeof MONEY_DIGITS
  /** The column of a table that the amount stands in. */
  column?: string
}

export function Money({ quota, settings, digits = 'list', column }: Props) {
  const { inCurrency, quotaPerUnit } = settings
  const format = useColumnFormat(column) ?? ((units) => formatQuota(units, settings))
  return (
    <span className="numbers" title={formatNumber(quota)}>
      {inCurrency && digits === 'receipt'
        ? formatMoney(quota, quotaPerUnit, MONEY_DIGITS.receipt)
        : format(quota)}
    </span>
  )
}
