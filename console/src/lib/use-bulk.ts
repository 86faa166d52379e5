import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { t } from '../i18n/texts.ts'
import { confirm, type Question } from './confirm.ts'
import { type Outcome, runEach } from './run-each.ts'
import { onSessionLoss } from './session.ts'
import { showError, showInfo, showSuccess, showUndoable } from './toast.ts'

export type BulkProgress = { finished: number; total: number; cancel: () => void }

export type BulkJob<Row> = {
  rows: readonly Row[]
  each: (row: Row) => Promise<unknown>
  question?: Question
  /** Offered after the run. */
  undo?: (row: Row) => Promise<unknown>
  /** Called after a run in which every row succeeded. */
  onDone?: () => void
}

export function useBulk<Row>(listKey: readonly unknown[]) {
  const client = useQueryClient()
  const [progress, setProgress] = useState<BulkProgress | null>(null)

  const { mutate } = useMutation({
    mutationFn: async ({ rows, each }: BulkJob<Row>) => {
      const controller = new AbortController()
      // Otherwise the rest would run as whichever user logged in meanwhile.
      const stop = onSessionLoss(() => controller.abort())
      const total = rows.length
      const onProgress = (finished: number) =>
        setProgress({ finished, total, cancel: () => controller.abort() })
      onProgress(0)
      try {
        return await runEach({ rows, each, signal: controller.signal, onProgress })
      } finally {
        stop()
      }
    },
    onSuccess: (outcome, { rows, onDone, undo }) => {
      const { done, failed } = outcome
      if (done === rows.length) onDone?.()
      if (done < rows.length || !undo) showOutcome(outcome, rows.length)
      if (done === 0 || !undo) return
      // A row that failed is what it was before, which is what undoing makes of it.
      const undone = { rows: rows.slice(0, done + failed), each: undo }
      const verb = t('common.action.undo')
      showUndoable(t('table.bulk.done', { count: done }), { verb, act: () => mutate(undone) })
    },
    onSettled: async () => {
      await client.invalidateQueries({ queryKey: listKey })
      setProgress(null)
    },
  })

  const run = async (job: BulkJob<Row>) => {
    if (!job.question || (await confirm(job.question))) mutate(job)
  }
  return { progress, run: (job: BulkJob<Row>) => void run(job) }
}

function showOutcome({ done, failed, reason }: Outcome, total: number) {
  const left = total - done - failed
  if (reason !== null) showError(t('table.bulk.failed', { done, failed: failed + left, reason }))
  else if (left > 0) showInfo(t('table.bulk.cancelled', { done, left }))
  else showSuccess(t('table.bulk.done', { count: done }))
}
