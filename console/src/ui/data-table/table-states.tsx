import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Empty } from '../empty.tsx'
import { useDelayed } from '../use-delayed.ts'
import classes from './data-table.module.css'

const SKELETON_ROWS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']

/** Rows in the shape of what comes; only their room is taken for the first 200 ms. */
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

export function TableError({ message, onRetry }: { message: string; onRetry: () => void }) {
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

export function NoMatch({ isBeyondEnd, onClear }: NoMatchProps) {
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
