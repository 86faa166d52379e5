import { Button } from '@mantine/core'
import {
  type BillImport,
  type BillSource,
  type BillSummary,
  billEndpoints,
} from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { confirm } from '../../lib/confirm.ts'
import { formatTime, NO_VALUE } from '../../lib/format.ts'
import { showSuccess } from '../../lib/toast.ts'
import { useChange } from '../../lib/use-change.ts'
import { StateDot } from '../../ui/state-dot.tsx'
import { dollars, percentText, signedDollars } from './amounts.ts'
import classes from './bills.module.css'
import type { Period } from './period.ts'
import { BILLS } from './queries.ts'

const TONES = { running: 'slow', done: 'good', failed: 'bad' } as const

type Props = {
  source: BillSource
  period: Period
  /** Undefined while loading. */
  summary: BillSummary | undefined
  onShow: () => void
  onEdit: () => void
  onImport: () => void
}

export function SourceRow({ source, period, summary, onShow, onEdit, onImport }: Props) {
  const { t } = useTranslation()
  const { id, name, kind } = source
  const pull = useChange(BILLS, () => call(billEndpoints.pullBill, { body: { id, ...period } }))
  const removal = useChange(BILLS, () => call(billEndpoints.deleteBillSource, { params: { id } }))
  const begin = () =>
    pull.mutate(undefined, { onSuccess: () => showSuccess(t('bill.import.begun', { name })) })
  const askAndDelete = async () => {
    const yes = await confirm({
      title: t('bill.source.deleteTitle', { name }),
      body: t('bill.source.deleteBody'),
      verb: t('bill.source.deleteVerb', { name }),
      danger: true,
    })
    if (yes) removal.mutate(undefined)
  }
  const [last] = source.imports
  const isRunning = last?.state === 'running'
  return (
    <tr>
      <td>{name}</td>
      <td data-align="right">{dollars(summary?.billed ?? null)}</td>
      <td data-align="right">{summary ? dollars(summary.recorded) : NO_VALUE}</td>
      <td data-align="right">{signedDollars(summary?.difference ?? null)}</td>
      <td data-align="right">{percentText(summary?.percent ?? null)}</td>
      <td>{last ? <ImportState last={last} /> : NO_VALUE}</td>
      <td data-actions>
        <div className={classes['tools']}>
          <Button size="compact-sm" onClick={onShow}>
            {t('bill.source.compare')}
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            loading={pull.isPending}
            disabled={isRunning}
            onClick={kind === 'csv' ? onImport : begin}
          >
            {t(kind === 'csv' ? 'bill.source.file' : 'bill.source.pull')}
          </Button>
          {kind !== 'csv' && (
            <Button size="compact-sm" variant="default" disabled={isRunning} onClick={onImport}>
              {t('bill.source.file')}
            </Button>
          )}
          <Button size="compact-sm" variant="default" onClick={onEdit}>
            {t('common.action.edit')}
          </Button>
          <Button size="compact-sm" variant="default" onClick={() => void askAndDelete()}>
            {t('bill.source.delete')}
          </Button>
        </div>
      </td>
    </tr>
  )
}

function ImportState({ last }: { last: BillImport }) {
  const { t } = useTranslation()
  const { state, rows, started_at, error, problems } = last
  const text = t(`bill.state.${state}`, { count: rows, time: formatTime(started_at) })
  const reason =
    error === '' && problems.length > 0 ? t('bill.import.lines', { count: problems.length }) : error
  return <StateDot tone={TONES[state]} text={text} reason={reason} isBelow />
}
