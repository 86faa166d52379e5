import { useTranslation } from '../../i18n/use-translation.ts'
import { formatNumber, formatQuota, type MoneySettings } from '../../lib/format.ts'
import { useColumnFormat } from '../column-amounts.tsx'
import classes from './balance.module.css'

type Props = {
  quota: number
  /** Part of the quota held for running or expected requests. */
  held: number
  settings: MoneySettings
  /** The column of a table that the balance stands in. */
  column: string
}

/** Balance and, if visible at this precision, its held part. Exact units on hover. */
export function Balance({ quota, held, settings, column }: Props) {
  const { t } = useTranslation()
  const rounded = (units: number) => formatQuota(units, settings)
  const amount = useColumnFormat(column) ?? rounded
  const parts = { free: formatNumber(quota - held), held: formatNumber(held) }
  const title = held === 0 ? formatNumber(quota) : t('table.balance.parts', parts)
  // Almost every active balance has a small hold; only holds that change the rounded amount are
  // shown.
  const isSeen = rounded(quota - held) !== rounded(quota)
  return (
    <span className="numbers" title={title}>
      {amount(quota)}
      {isSeen && (
        <span className={classes['held']}>{t('table.balance.held', { amount: amount(held) })}</span>
      )}
    </span>
  )
}
