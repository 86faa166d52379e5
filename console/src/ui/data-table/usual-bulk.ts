import { t } from '../../i18n/texts.ts'
import type { BulkJob } from '../../lib/use-bulk.ts'
import type { RowAction } from './column.ts'

type Step<Row> = BulkJob<Row> & { label?: string }

type Usual<Row> = {
  run: (job: BulkJob<Row>) => void
  enable: Step<Row>
  disable: Step<Row>
  remove: Step<Row> & { verb: string; body: string }
}

export function usualBulk<Row>({ run, enable, disable, remove }: Usual<Row>): RowAction[] {
  const { verb, body } = remove
  const action = (label: string, { rows, each, question, undo }: BulkJob<Row>): RowAction => ({
    label,
    reason: rows.length > 0 ? null : t('table.bulk.none'),
    danger: question?.danger === true,
    onSelect: () => run({ rows, each, ...(question && { question }), ...(undo && { undo }) }),
  })
  return [
    action(enable.label ?? t('common.action.enable'), enable),
    action(disable.label ?? t('common.action.disable'), disable),
    action(remove.label ?? t('common.action.delete'), {
      ...remove,
      question: { title: `${verb}?`, body, verb, danger: true },
    }),
  ]
}
