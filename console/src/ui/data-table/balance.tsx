import { useTranslation } from '../../i18n/use-translation.ts'
import { formatNumber, formatQuota, type MoneySettings } from '../../lib/format.ts'
import classes from './balance.module.css'

type Props = {
  quota: number
  /** Part of the quota held for running or expected requests. */
  held: number
  settings: MoneySettings
}

/** Balance and, if visible at this precision, its held part. Exact units on hover. */
export function Balance({ quota, held, settings }: Props) {
  const { t } = useTranslation()
  const amount = (units: number) => formatQuota(units, settings)
  const parts = { free: formatNumber(quota - held), held: formatNumber(held) }
  const title = held === 0 ? formatNumber(quota) : t('table.balance.parts', parts)
  // Almost every active balance has a small hold; only holds that change the displayed amount are
  // shown.
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
