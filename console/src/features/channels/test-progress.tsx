import { CloseButton, Progress } from '@mantine/core'
import type { BulkProgress } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { formatNumber } from '../../lib/format.ts'
import classes from './channels.module.css'

type Props = { progress: BulkProgress; onDismiss: () => void }

export function TestProgress({ progress, onDismiss }: Props) {
  const { t } = useTranslation()
  const { running, total, done, failed, started_at, ended_at } = progress
  if (!running && started_at === 0) return null
  const numbers = {
    done: formatNumber(done),
    total: formatNumber(total),
    failed: formatNumber(failed),
    seconds: formatNumber(Math.max(0, ended_at - started_at)),
  }
  return (
    <div className={classes['run']}>
      <div className={classes['runHead']}>
        <p role="status">
          {t(running ? 'channel.bulk.running' : 'channel.bulk.finished', numbers)}
        </p>
        {running ? (
          <span className={classes['dimmed']}>{t('channel.bulk.mayLeave')}</span>
        ) : (
          <CloseButton size="sm" aria-label={t('common.action.close')} onClick={onDismiss} />
        )}
      </div>
      <Progress
        size="xs"
        color={failed > 0 ? 'red' : 'accent'}
        value={total === 0 ? (running ? 0 : 100) : (done / total) * 100}
        aria-label={t('channel.bulk.progress')}
      />
    </div>
  )
}
