import { useCallback } from 'react'
import type { Exploration, UsageDimension } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { isKnown } from './log-path.ts'
import { rowName } from './values.ts'

type Row = Pick<Exploration['rows'][number], 'key' | 'label' | 'owner'>

/** The name of a key in charts, tables and filters. */
export function useRowName() {
  const { t } = useTranslation()
  return useCallback(
    (by: UsageDimension, row: Row) => {
      const { key, label } = row
      if (!isKnown(row)) return t('usage.table.none')
      const isId = by === 'token' || by === 'user' || by === 'channel'
      return isId && label === key ? t('usage.table.deleted', { id: key }) : rowName(row)
    },
    [t],
  )
}

export function useFilterText() {
  const { t } = useTranslation()
  const nameOf = useRowName()
  return ({ by, ...row }: Row & { by: UsageDimension }) =>
    t('usage.filter.text', { dimension: t(`usage.by.${by}`), name: nameOf(by, row) })
}
