import { Button } from '@mantine/core'
import { Download, ListFilter } from 'lucide-react'
import type { Exploration } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { changeText } from '../../lib/change-text.ts'
import { BYTE_ORDER_MARK } from '../../lib/csv.ts'
import { downloadText, fileNameOf } from '../../lib/download.ts'
import { formatNumber, formatTime } from '../../lib/format.ts'
import { Link } from '../../lib/router/router.tsx'
import { nowSeconds } from '../../lib/server-clock.ts'
import { useMoney } from '../../lib/status.ts'
import { Brief } from '../../ui/brief.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { PlainTable } from '../../ui/plain-table.tsx'
import { isKnown, logPath } from './log-path.ts'
import { usageCsv } from './usage-csv.ts'
import type { UsageSearch } from './usage-search.ts'
import type { UsageSpan } from './usage-span.ts'
import classes from './usage.module.css'
import { useRowName } from './use-row-name.ts'
import { inOrder, valueText } from './values.ts'

type Row = Exploration['rows'][number]

type Props = {
  usage: Exploration
  search: UsageSearch
  at: UsageSpan
  format: (value: number) => string
  /** Undefined if usage cannot be narrowed to a row, or already is. */
  onNarrow: ((key: string) => void) | undefined
}

type SaveProps = Pick<Props, 'usage' | 'search'> & { title: string }

/** Saves the rows of the table as a CSV file. */
export function SaveUsage({ usage, search, title }: SaveProps) {
  const { t } = useTranslation()
  const money = useMoney()
  const rowName = useRowName()
  const { metric, by } = search
  const nameOf = (row: Row) => rowName(by, row)
  const save = () => {
    const head = [
      t(`usage.by.${by}`),
      t(`usage.metric.${metric}`),
      t('usage.table.previous'),
      t('usage.table.requests'),
    ] as const
    const csv = usageCsv(inOrder(usage.rows, metric), { metric, money, head, nameOf })
    const name = fileNameOf(`${title} ${formatTime(nowSeconds())}`, 'csv')
    downloadText(name, BYTE_ORDER_MARK + csv, 'text/csv')
  }
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<Download size={14} aria-hidden />}
      disabled={usage.rows.length === 0}
      onClick={save}
    >
      {t('usage.table.csv')}
    </Button>
  )
}

/** The data of the chart with totals and change. A name leads to the log of its requests. */
export function UsageTable(props: Props) {
  const { t } = useTranslation()
  const { usage, search, at, format, onNarrow } = props
  const { metric, by } = search
  const nameOf = useRowName()
  const spanOfRows = { start: at.query.start_timestamp, end: at.query.end_timestamp }
  // They are the values themselves otherwise.
  const hasRequests = metric !== 'requests'
  const changed = (value: number | null, previous: number | null) =>
    previous === 0 && value !== 0 ? t('usage.table.new') : (changeText(value, previous) ?? '')
  return (
    <PlainTable label={t('usage.table.label')}>
      <thead>
        <tr>
          <th scope="col">{t(`usage.by.${by}`)}</th>
          <th scope="col" data-align="right">
            {t(`usage.metric.${metric}`)}
          </th>
          <th scope="col" data-align="right" data-wide>
            {t('usage.table.previous')}
          </th>
          <th scope="col" data-align="right">
            {t('usage.table.change')}
          </th>
          {hasRequests && (
            <th scope="col" data-align="right" data-wide>
              {t('usage.table.requests')}
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {inOrder(usage.rows, metric).map((row) => {
          const path = logPath(row, search, spanOfRows, usage.filters)
          const name = nameOf(by, row)
          return (
            <tr key={row.key}>
              <th scope="row">
                <span className={classes['named']}>
                  <span className={classes['name']} title={name}>
                    {path === null ? (
                      name
                    ) : (
                      <Link to={path} aria-label={t('usage.table.log', { name })}>
                        {name}
                      </Link>
                    )}
                  </span>
                  {onNarrow && isKnown(row) && (
                    <IconButton
                      size={24}
                      aria-label={t('usage.filter.only', { name })}
                      onClick={() => onNarrow(row.key)}
                    >
                      <ListFilter size={14} aria-hidden />
                    </IconButton>
                  )}
                </span>
                <Brief
                  items={[
                    [t('usage.table.previous'), valueText(row.previous, format)],
                    ...(hasRequests
                      ? ([[t('usage.table.requests'), formatNumber(row.requests)]] as const)
                      : []),
                  ]}
                />
              </th>
              <td data-align="right">{valueText(row.value, format)}</td>
              <td data-align="right" data-wide>
                {valueText(row.previous, format)}
              </td>
              <td data-align="right">{changed(row.value, row.previous)}</td>
              {hasRequests && (
                <td data-align="right" data-wide>
                  {formatNumber(row.requests)}
                </td>
              )}
            </tr>
          )
        })}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{t('usage.total.label')}</th>
          <td data-align="right">{valueText(usage.total, format)}</td>
          <td data-align="right" data-wide>
            {valueText(usage.previous, format)}
          </td>
          <td data-align="right">{changed(usage.total, usage.previous)}</td>
          {hasRequests && <td data-wide />}
        </tr>
      </tfoot>
    </PlainTable>
  )
}
