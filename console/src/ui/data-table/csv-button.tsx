import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Download, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { csvOf } from '../../lib/csv.ts'
import { downloadText, fileNameOf } from '../../lib/download.ts'
import { formatNumber, formatTime } from '../../lib/format.ts'
import { type Progress, type ReadAll, ROWS_READ_MAX } from '../../lib/read-all.ts'
import { showInfo, showSuccess } from '../../lib/toast.ts'
import type { Column } from './column.ts'

/** Spreadsheets take a file for UTF-8 only when it begins with this. */
const BYTE_ORDER_MARK = '\uFEFF'

type Props<Row> = {
  /** What the rows are; the file is named after it. */
  label: string
  columns: readonly Column<Row>[]
  readAll: ReadAll<Row>
}

/** Saves all rows of the filter and order shown; while they are read it cancels that. */
export function CsvButton<Row>({ label, columns, readAll }: Props<Row>) {
  const { t } = useTranslation()
  const running = useRef<AbortController>(null)
  const [progress, setProgress] = useState<Progress>()
  useEffect(() => () => running.current?.abort(), [])

  const save = useMutation({
    mutationFn: async () => {
      const controller = new AbortController()
      const { signal } = controller
      running.current = controller
      setProgress({ count: 0, waitSeconds: null })
      try {
        return await readAll({ signal, onProgress: setProgress })
      } catch (error) {
        if (signal.aborted) return null
        throw error
      }
    },
    onSuccess: (rows) => {
      if (!rows) return
      const saved = columns.flatMap((column) =>
        column.csv ? [{ ...column, csv: column.csv }] : [],
      )
      const head = saved.map((column) => t(column.label))
      const lines = rows.map((row) => saved.map(({ csv }) => csv(row)))
      const time = formatTime(Date.now() / 1000)
      const name = fileNameOf(`${label} ${time}`, 'csv')
      downloadText(name, BYTE_ORDER_MARK + csvOf([head, ...lines]), 'text/csv')
      const most = formatNumber(ROWS_READ_MAX)
      if (rows.length >= ROWS_READ_MAX) showInfo(t('table.csv.cut', { rows: most }))
      else showSuccess(t('table.csv.saved', { count: rows.length }))
    },
    onSettled: () => {
      running.current = null
      setProgress(undefined)
    },
  })

  return (
    <Button
      size="xs"
      variant="default"
      leftSection={progress ? <X size={14} aria-hidden /> : <Download size={14} aria-hidden />}
      onClick={() => (progress ? running.current?.abort() : save.mutate())}
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
