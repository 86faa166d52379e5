import { LOG_TYPE } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { basePath } from '../../lib/base-path.ts'
import { formatTime } from '../../lib/format.ts'
import { useLocation } from '../../lib/router/router.tsx'
import { useMoney } from '../../lib/status.ts'
import { Printed } from '../../ui/printed.tsx'
import { queryText } from './log-query.ts'
import { type LogFilter, NO_FILTER } from './log-search.ts'
import classes from './logs.module.css'

const TYPES = ['topup', 'consume', 'manage', 'system'] as const

/** The address and the filter, for readers of a printed log. */
export function PrintedFilter({ filter }: { filter: LogFilter }) {
  const { t } = useTranslation()
  const { quotaPerUnit } = useMoney()
  const { pathname, search } = useLocation()
  const { range, type, start_timestamp: start, end_timestamp: end } = filter
  const known = TYPES.find((name) => LOG_TYPE[name] === type)
  const time = (seconds: number) => (seconds === 0 ? '…' : formatTime(seconds))
  const labels = [
    known === undefined ? '' : t(`log.type.${known}`),
    queryText(filter, quotaPerUnit),
    range === 'custom' ? `${time(start)} – ${time(end)}` : '',
    range === 'custom' || range === NO_FILTER.range ? '' : t(`log.filter.${range}`),
  ].filter((label) => label !== '')
  const address = window.location.origin + basePath + pathname + search
  return (
    <Printed className={classes['printed'] ?? ''}>
      {[address, ...(labels.length === 0 ? [t('log.filter.none')] : labels)].join(' · ')}
    </Printed>
  )
}
