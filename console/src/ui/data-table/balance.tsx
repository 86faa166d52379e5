import { useTranslation } from 'react-i18next'
import { formatNumber, formatQuota, type MoneySettings } from '../../lib/format.ts'
import classes from './data-table.module.css'

type Props = {
  quota: number
  /** The part of it that running requests hold. */
  held: number
  settings: MoneySettings
}

/** What is left, and what of it is not free just now; the exact units on hover. */
export function Balance({ quota, held, settings }: Props) {
  const { t } = useTranslation()
  const amount = (units: number) => formatQuota(units, settings)
  if (held === 0) {
    return (
      <span className="numbers" title={formatNumber(quota)}>
        {amount(quota)}
      </span>
    )
  }
  const parts = { free: formatNumber(quota - held), held: formatNumber(held) }
  return (
    <span className="numbers" title={t('table.balance.parts', parts)}>
      {amount(quota)}
      <span className={classes['held']}>{t('table.balance.held', { amount: amount(held) })}</span>
    </span>
  )
}
