import { Button } from '@mantine/core'
import { X } from 'lucide-react'
import { useTranslation } from '../../i18n/use-translation.ts'
import type { BulkProgress } from '../../lib/use-bulk.ts'
import { IconButton } from '../icon-button.tsx'
import type { RowAction } from './column.ts'
import classes from './foot.module.css'

type Props = {
  count: number
  actions: readonly RowAction[]
  progress: BulkProgress | null
  onClear: () => void
}

export function SelectionBar({ count, actions, progress, onClear }: Props) {
  const { t } = useTranslation()
  return (
    <div className={classes['selection']} role="group" aria-label={t('table.select.bar')}>
      <span role="status" className={classes['selected']}>
        {progress
          ? t('table.bulk.progress', { finished: progress.finished, total: progress.total })
          : t('table.select.count', { count })}
      </span>
      <IconButton size={28} aria-label={t('table.select.clear')} onClick={onClear}>
        <X size={16} aria-hidden />
      </IconButton>
      {actions.map(({ label, onSelect, danger = false, reason = null }) => {
        const blocked = progress ? t('table.bulk.running') : reason
        return (
          // Not `disabled`: the pressed button would lose the focus.
          <Button
            key={label}
            size="xs"
            variant="default"
            aria-disabled={blocked !== null}
            data-danger={danger || undefined}
            className={classes['bulk'] ?? ''}
            {...(blocked !== null && { title: blocked })}
            onClick={blocked === null ? onSelect : undefined}
          >
            {label}
          </Button>
        )
      })}
      {progress && (
        <Button size="xs" variant="default" onClick={progress.cancel}>
          {t('table.bulk.cancel')}
        </Button>
      )}
    </div>
  )
}
