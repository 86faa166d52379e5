import { Button } from '@mantine/core'
import { Download, X } from 'lucide-react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { BYTE_ORDER_MARK, csvOf } from '../../lib/csv.ts'
import { downloadText, fileNameOf } from '../../lib/download.ts'
import { formatNumber, formatTime } from '../../lib/format.ts'
import type { ReadAll } from '../../lib/read-all.ts'
import { showInfo, showSuccess } from '../../lib/toast.ts'
import { type Progress, useSaving } from '../../lib/use-saving.ts'
import type { CsvColumn } from './column.ts'
import type { RowsState } from './rows-state.ts'

type Props<Row> = {
  /** Name of the rows, used as the file name. */
  label: string
  columns: readonly CsvColumn<Row>[]
  state: RowsState<Row>
}

/**
 * Exports all rows in the current filter and order. Hidden if the list or its columns cannot be
 * exported.
 */
export function CsvButton<Row>({ label, columns, state }: Props<Row>) {
  const { readAll } = state
  if (!readAll || !columns.some(({ csv }) => csv)) return null
  return <Save label={label} columns={columns} readAll={readAll} />
}

type SaveProps<Row> = Omit<Props<Row>, 'state'> & { readAll: ReadAll<Row> }

function Save<Row>({ label, columns, readAll }: SaveProps<Row>) {
  const { t } = useTranslation()
  const saved = columns.flatMap((column) => (column.csv ? [{ ...column, csv: column.csv }] : []))
  const { progress, start, cancel } = useSaving(readAll, {
    textOf: (rows) => csvOf(rows.map((row) => saved.map(({ csv }) => csv(row)))),
    onRead: ({ parts, count, isCut }) => {
      const head = csvOf([saved.map((column) => t(column.label))])
      const name = fileNameOf(`${label} ${formatTime(Date.now() / 1000)}`, 'csv')
      downloadText(name, [BYTE_ORDER_MARK + head, ...parts], 'text/csv')
      if (isCut) showInfo(t('table.csv.cut', { rows: formatNumber(count) }))
      else showSuccess(t('table.csv.saved', { count }))
    },
  })
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

  function progressText({ count, waitSeconds }: Progress) {
    return waitSeconds === null
      ? t('table.csv.cancel', { rows: formatNumber(count) })
      : t('table.csv.wait', { seconds: waitSeconds })
  }
}
