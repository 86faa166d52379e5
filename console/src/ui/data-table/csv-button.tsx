import { Button } from '@mantine/core'
import { Download, X } from 'lucide-react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { BYTE_ORDER_MARK, csvOf } from '../../lib/csv.ts'
import { downloadText, fileNameOf } from '../../lib/download.ts'
import { formatNumber, formatTime } from '../../lib/format.ts'
import { type Progress, type ReadAll, ROWS_READ_MAX } from '../../lib/read-all.ts'
import { showInfo, showSuccess } from '../../lib/toast.ts'
import { useSaving } from '../../lib/use-saving.ts'
import type { Column } from './column.ts'
import type { RowsState } from './rows-state.ts'

type Props<Row> = {
  /** Name of the rows, used as the file name. */
  label: string
  columns: readonly Column<Row>[]
  state: RowsState<Row>
}

/**
 * Exports all rows in the current filter and order. Hidden if the list or its columns cannot be
 * exported.
 */
export function CsvButton<Row>({ label, columns, state }: Props<Row>) {
  const { readAll, isCut = false } = state
  if (!readAll || !columns.some(({ csv }) => csv)) return null
  return <Save label={label} columns={columns} readAll={readAll} isCut={isCut} />
}

type SaveProps<Row> = Omit<Props<Row>, 'state'> & { readAll: ReadAll<Row>; isCut: boolean }

function Save<Row>({ label, columns, readAll, isCut }: SaveProps<Row>) {
  const { t } = useTranslation()
  const { progress, start, cancel } = useSaving(readAll, save)
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={progress ? <X size={14} aria-hidden /> : <Download size={14} aria-hidden />}
      onClick={progress ? cancel : start}
      {...(!progress && { 'aria-label': t('table.csv.save'), title: t('table.csv.save') })}
    >
      {progress ? progressText(progress) : t('table.csv.button')}
    </Button>
  )

  function save(rows: readonly Row[]) {
    const saved = columns.flatMap((column) => (column.csv ? [{ ...column, csv: column.csv }] : []))
    const head = saved.map((column) => t(column.label))
    const lines = rows.map((row) => saved.map(({ csv }) => csv(row)))
    const name = fileNameOf(`${label} ${formatTime(Date.now() / 1000)}`, 'csv')
    downloadText(name, BYTE_ORDER_MARK + csvOf([head, ...lines]), 'text/csv')
    if (isCut || rows.length >= ROWS_READ_MAX) {
      showInfo(t('table.csv.cut', { rows: formatNumber(rows.length) }))
    } else showSuccess(t('table.csv.saved', { count: rows.length }))
  }

  function progressText({ count, waitSeconds }: Progress) {
    return waitSeconds === null
      ? t('table.csv.cancel', { rows: formatNumber(count) })
      : t('table.csv.wait', { seconds: waitSeconds })
  }
}
