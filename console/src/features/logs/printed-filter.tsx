import { useTranslation } from 'react-i18next'
import { useLocation } from 'react-router'
import { useFilterLabels } from './filter-chips.tsx'
import type { LogFilter } from './log-search.ts'
import classes from './logs.module.css'

export function PrintedFilter({ filter }: { filter: LogFilter }) {
  const { t } = useTranslation()
  const { pathname, search } = useLocation()
  const labels = useFilterLabels(filter).map(({ text }) => text)
  const address = window.location.origin + pathname + search
  return (
    <p className={classes['printed']}>
      {[address, ...(labels.length === 0 ? [t('log.filter.none')] : labels)].join(' · ')}
    </p>
  )
}
