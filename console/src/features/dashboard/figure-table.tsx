import { useTranslation } from '../../i18n/use-translation.ts'
import { Brief } from '../../ui/brief.tsx'
import { ColumnAmounts } from '../../ui/column-amounts.tsx'
import type { Column } from '../../ui/data-table/column.ts'
import plainTable from '../../ui/plain-table.module.css'
import { useDelayed } from '../../ui/use-delayed.ts'
import { useIsPhone } from '../../ui/use-is-phone.ts'
import classes from './dashboard.module.css'

const SKELETON_ROWS = ['a', 'b', 'c', 'd', 'e']
const NO_ROWS: never[] = []

type Props<Row> = {
  label: string
  /** On phones, `wide` columns stand below the name, and `optional` ones are missing. */
  columns: readonly Column<Row>[]
  /** Undefined while loading. */
  rows: readonly Row[] | undefined
  rowId: (row: Row) => string
  isStale: boolean
}

export function FigureTable<Row>({ label, columns, rows, rowId, isStale }: Props<Row>) {
  const { t } = useTranslation()
  const isLate = useDelayed(rows === undefined)
  const isPhone = useIsPhone()
  const shown = isPhone ? columns.filter((column) => column.shown === undefined) : columns
  const below = isPhone ? columns.filter((column) => column.shown === 'wide') : []
  const briefOf = (row: Row) => below.map(({ label: name, cell }) => [t(name), cell(row)] as const)
  return (
    <section className={classes['section']}>
      <h2>{label}</h2>
      <div
        className={classes['frame']}
        role="region"
        aria-label={t('dashboard.table.scroll', { label })}
        aria-busy={rows === undefined || isStale}
        data-stale={isStale || undefined}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling region must be reachable
        tabIndex={0}
      >
        <table className={`${plainTable['table']} ${classes['table']}`} aria-label={label}>
          <thead>
            <tr>
              {shown.map(({ id, label: name, align }) => (
                <th key={id} scope="col" data-align={align}>
                  {t(name)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {!rows &&
              SKELETON_ROWS.map((row) => (
                <tr key={row} aria-hidden>
                  <td colSpan={shown.length}>
                    {isLate && <span className={classes['skeleton']} />}
                  </td>
                </tr>
              ))}
            <ColumnAmounts columns={columns} rows={rows ?? NO_ROWS}>
              {rows?.map((row) => (
                <tr key={rowId(row)}>
                  {shown.map(({ id, cell, align }, index) =>
                    index === 0 ? (
                      <th key={id} scope="row">
                        {cell(row)}
                        {below.length > 0 && <Brief items={briefOf(row)} />}
                      </th>
                    ) : (
                      <td key={id} data-align={align}>
                        {cell(row)}
                      </td>
                    ),
                  )}
                </tr>
              ))}
            </ColumnAmounts>
            {rows?.length === 0 && (
              <tr>
                <td colSpan={shown.length} className={classes['none']}>
                  {t('dashboard.table.noRows')}
                </td>
              </tr>
            )}
          </tbody>
        </table>
      </div>
    </section>
  )
}
