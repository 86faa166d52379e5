import { useTranslation } from 'react-i18next'
import { useLocation } from 'react-router'
import { useFilterWords } from './filter-chips.tsx'
import type { LogFilter } from './log-search.ts'
import classes from './logs.module.css'

export function PrintedFilter({ filter }: { filter: LogFilter }) {
  const { t } = useTranslation()
  const { pathname, search } = useLocation()
  const words = useFilterWords(filter).map(({ text }) => text)
  const address = window.location.origin + pathname + search
  return (
    <p className={classes['printed']}>
      {[address, ...(words.length === 0 ? [t('log.filter.none')] : words)].join(' · ')}
    </p>
  )
}
