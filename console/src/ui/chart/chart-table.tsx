import { useTranslation } from '../../i18n/use-translation.ts'
import { NO_VALUE } from '../../lib/format.ts'
import classes from './chart.module.css'
import './messages.ts'
import { type Series, type Slot, totalAt } from './series.ts'

type Props = {
  label: string
  slots: readonly Slot[]
  series: readonly Series[]
  format: (value: number) => string
  hasTotal: boolean
}

/** Chart values as a table, newest first. */
export function ChartTable({ label, slots, series, format, hasTotal }: Props) {
  const { t } = useTranslation()
  return (
    <div
      className={classes['tableFrame']}
      role="region"
      aria-label={t('chart.figure.scroll', { label })}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling region must be reachable
      tabIndex={0}
    >
      <table className={classes['table']} aria-label={label}>
        <thead>
          <tr>
            <th scope="col">{t('chart.column.time')}</th>
            {series.map(({ id, name }) => (
              <th key={id} scope="col" data-align="right" title={name}>
                <span className={classes['tableName']}>{name}</span>
              </th>
            ))}
            {hasTotal && (
              <th scope="col" data-align="right">
                {t('chart.column.total')}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {slots
            .map(({ start, name }, slot) => (
              <tr key={start}>
                <th scope="row">{name}</th>
                {series.map(({ id, values }) => {
                  const value = values[slot] ?? null
                  return (
                    <td key={id} data-align="right">
                      {value === null ? NO_VALUE : format(value)}
                    </td>
                  )
                })}
                {hasTotal && <td data-align="right">{format(totalAt(series, slot))}</td>}
              </tr>
            ))
            .toReversed()}
        </tbody>
      </table>
    </div>
  )
}
