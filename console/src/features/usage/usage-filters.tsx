import { Button } from '@mantine/core'
import { X } from 'lucide-react'
import { type Exploration, USAGE_FILTERS } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import type { UsageSearch } from './usage-search.ts'
import classes from './usage.module.css'
import { useFilterText } from './use-row-name.ts'

type Filters = UsageSearch['filters']

type Props = {
  filters: Filters
  /** Undefined until the names are known. */
  named: Exploration['filters'] | undefined
  onChange: (filters: Filters) => void
}

/** What the usage is narrowed to; a click removes a filter. */
export function UsageFilters({ filters, named = [], onChange }: Props) {
  const { t } = useTranslation()
  const textOf = useFilterText()
  const chosen = USAGE_FILTERS.flatMap((by) => {
    const key = filters[by]
    if (key === undefined) return []
    const known = named.find((filter) => filter.by === by && filter.key === key)
    return [{ by, text: textOf(known ?? { by, key, label: by === 'model' ? key : `#${key}` }) }]
  })
  if (chosen.length === 0) return null
  return (
    <div className={classes['filters']} role="group" aria-label={t('usage.filter.label')}>
      {chosen.map(({ by, text }) => (
        <Button
          key={by}
          size="xs"
          variant="light"
          rightSection={<X size={14} aria-hidden />}
          aria-label={t('usage.filter.remove', { text })}
          onClick={() => onChange({ ...filters, [by]: undefined })}
        >
          {text}
        </Button>
      ))}
    </div>
  )
}
