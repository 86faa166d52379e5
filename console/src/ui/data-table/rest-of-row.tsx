import { useTranslation } from '../../i18n/use-translation.ts'
import { DescriptionList } from '../description-list.tsx'
import type { Column } from './column.ts'
import classes from './data-table.module.css'

type Props<Row> = { row: Row; columns: readonly Column<Row>[] }

export function RestOfRow<Row>({ row, columns }: Props<Row>) {
  const { t } = useTranslation()
  return (
    <div className={classes['rest']}>
      <DescriptionList
        items={columns.map(({ label, cell }) => ({ name: t(label), value: cell(row) }))}
      />
    </div>
  )
}
