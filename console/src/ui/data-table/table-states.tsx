import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { Empty } from '../empty.tsx'
import { useDelayed } from '../use-delayed.ts'
import classes from './data-table.module.css'
import type { RowsState } from './rows-state.ts'

const SKELETON_ROWS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']

/** Placeholder rows; invisible for the first 200 ms to avoid flicker. */
export function SkeletonRows({ columnCount }: { columnCount: number }) {
  const late = useDelayed(true)
  return SKELETON_ROWS.map((row) => (
    <tr key={row} aria-hidden>
      {Array.from({ length: columnCount }, (_, column) => `${row}${column}`).map((cell) => (
        <td key={cell}>{late && <span className={classes['skeleton']} />}</td>
      ))}
    </tr>
  ))
}

type Props = {
  state: RowsState<object>
  isFiltered: boolean
  isBeyondEnd: boolean
  onFirstPage: () => void
  onClearFilters: () => void
  empty: ReactNode
}

/** Shown instead of rows: an error, an empty state or "no match". */
export function NoRows({ state, isFiltered, isBeyondEnd, empty, ...ways }: Props) {
  if (state.error !== null) return <TableError message={state.error} onRetry={state.retry} />
  if (state.rows === undefined || state.rows.length > 0) return null
  if (!isBeyondEnd && !isFiltered) return empty
  return (
    <NoMatch
      isBeyondEnd={isBeyondEnd}
      onClear={isBeyondEnd ? ways.onFirstPage : ways.onClearFilters}
    />
  )
}

function TableError({ message, onRetry }: { message: string; onRetry: () => void }) {
  const { t } = useTranslation()
  return (
    <Empty
      alert
      title={t('common.table.failed')}
      body={message}
      action={
        <Button variant="default" onClick={onRetry}>
          {t('common.action.retry')}
        </Button>
      }
    />
  )
}

type NoMatchProps = { isBeyondEnd: boolean; onClear: () => void }

function NoMatch({ isBeyondEnd, onClear }: NoMatchProps) {
  const { t } = useTranslation()
  return (
    <Empty
      title={t(isBeyondEnd ? 'common.table.noMorePage' : 'common.table.noMatch')}
      {...(!isBeyondEnd && { body: t('common.table.noMatchHint') })}
      action={
        <Button variant="default" onClick={onClear}>
          {t(isBeyondEnd ? 'common.table.firstPage' : 'common.action.clearAll')}
        </Button>
      }
    />
  )
}
