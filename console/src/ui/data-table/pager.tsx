import { NativeSelect, Pagination } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from '../../i18n/use-translation.ts'
import type { Total } from '../../lib/call.ts'
import { formatNumber } from '../../lib/format.ts'
import { PAGE_SIZES, type TableSearch } from '../../lib/table-search.ts'
import classes from './foot.module.css'
import type { RowsState } from './rows-state.ts'

type Props = {
  search: TableSearch
  state: Pick<RowsState<unknown>, 'rows' | 'total' | 'isCut'>
  onChange: (change: Partial<TableSearch>) => void
  children?: ReactNode
}

export const totalText = ({ count, more }: Total) => `${formatNumber(count)}${more ? '+' : ''}`

export function Pager({ search, state, onChange, children }: Props) {
  const { t } = useTranslation()
  const { total, isCut = false } = state
  const rowCount = state.rows?.length ?? 0
  const { p, size } = search
  const known = total ? Math.ceil(total.count / size) : 0
  // Beyond the counted rows, a full page may have a successor.
  const beyond = total?.more === false || rowCount < size ? 0 : p + 2
  const pageCount = Math.max(1, p + 1, known, beyond)
  const controls = { previous: t('common.table.previous'), next: t('common.table.next') }
  return (
    <nav className={classes['pager']} aria-label={t('common.table.pages')}>
      <span className={classes['range']}>
        {total &&
          rowCount > 0 &&
          t('common.table.range', {
            from: formatNumber(p * size + 1),
            to: formatNumber(p * size + rowCount),
            total: totalText({ count: total.count, more: total.more || isCut }),
          })}
      </span>
      <Pagination
        className={classes['pages'] ?? ''}
        size="sm"
        total={pageCount}
        value={p + 1}
        siblings={1}
        boundaries={1}
        onChange={(page) => onChange({ p: page - 1 })}
        getItemProps={(page) => ({ 'aria-label': t('common.table.page', { page }) })}
        getControlProps={(control) =>
          control === 'next' || control === 'previous' ? { 'aria-label': controls[control] } : {}
        }
      />
      <NativeSelect
        size="xs"
        aria-label={t('common.table.size')}
        value={String(size)}
        onChange={(event) => onChange({ size: Number(event.currentTarget.value) })}
        data={PAGE_SIZES.map((value) => ({
          value: String(value),
          label: t('common.table.sizeOption', { size: value }),
        }))}
      />
      {children}
    </nav>
  )
}
