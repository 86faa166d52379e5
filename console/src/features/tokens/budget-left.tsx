import type { Token } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { formatQuota, formatTime } from '../../lib/format.ts'
import { useMoney } from '../../lib/status.ts'
import classes from './tokens.module.css'

const TEXTS = {
  day: 'token.list.budgetDay',
  week: 'token.list.budgetWeek',
  month: 'token.list.budgetMonth',
} as const

export function BudgetLeft({ token }: { token: Token }) {
  const { t } = useTranslation()
  const settings = useMoney()
  const { budget_period: period, budget_left, budget_quota, budget_reset_time } = token
  if (period === '') return null
  const left = formatQuota(budget_left, settings)
  const budget = formatQuota(budget_quota, settings)
  return (
    <span
      className={`numbers ${classes['budget']}`}
      data-empty={budget_left === 0 || undefined}
      title={t('token.list.budgetReset', { time: formatTime(budget_reset_time) })}
    >
      {t(TEXTS[period], { left, budget })}
    </span>
  )
}
