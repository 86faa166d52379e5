import { useTranslation } from 'react-i18next'
import { formatNumber, formatQuota, type MoneySettings } from '../../lib/format.ts'
import classes from './balance.module.css'

type Props = {
  quota: number
  /** The part of it that is set aside for requests, running or expected. */
  held: number
  settings: MoneySettings
}

/** What is left, and what of it is set aside just now if that is to be seen at all; the exact units on hover. */
export function Balance({ quota, held, settings }: Props) {
  const { t } = useTranslation()
  const amount = (units: number) => formatQuota(units, settings)
  const parts = { free: formatNumber(quota - held), held: formatNumber(held) }
  const title = held === 0 ? formatNumber(quota) : t('table.balance.parts', parts)
  // Next to every balance in use is a little set aside: only what changes the amount shown is told.
  const isSeen = amount(quota - held) !== amount(quota)
  return (
    <span className="numbers" title={title}>
      {amount(quota)}
      {isSeen && (
        <span className={classes['held']}>{t('table.balance.held', { amount: amount(held) })}</span>
      )}
    </span>
  )
}
