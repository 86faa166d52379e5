import { Button } from '@mantine/core'
import { Table2 } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { ChartTable } from './chart-table.tsx'
import classes from './chart.module.css'
import './messages.ts'
import { Plot, type PlotProps } from './plot.tsx'

type Props = PlotProps & {
  /** Controls next to the title that choose what the chart shows. */
  controls?: ReactNode
  isStale?: boolean
}

const TABLE_KEY = 't'

/** Time series chart. Its button or the T key switches to a table of the same values. */
export function Chart({ controls, isStale = false, ...plot }: Props) {
  const { t } = useTranslation()
  const { label, slots, series, format, kind } = plot
  const [isTable, setIsTable] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const onKeyDown = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent) => {
    if (key.toLowerCase() !== TABLE_KEY || ctrlKey || metaKey || altKey) return
    setIsTable(!isTable)
    // The focused element unmounts with the plot or table.
    button.current?.focus()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- a shortcut for the whole chart
    <figure
      className={classes['chart']}
      aria-label={label}
      aria-busy={isStale}
      data-stale={isStale || undefined}
      onKeyDown={onKeyDown}
    >
      <div className={classes['head']}>
        <figcaption className={classes['title']}>
          <h2>{label}</h2>
        </figcaption>
        <div className={classes['controls']}>
          {controls}
          <Button
            ref={button}
            size="xs"
            variant={isTable ? 'filled' : 'default'}
            leftSection={<Table2 size={14} aria-hidden />}
            aria-label={t('chart.figure.tableOf', { label })}
            aria-keyshortcuts={TABLE_KEY.toUpperCase()}
            aria-pressed={isTable}
            onClick={() => setIsTable(!isTable)}
          >
            {t('chart.figure.table')}
          </Button>
        </div>
      </div>
      <div className={classes['body']}>
        {isTable ? (
          <ChartTable
            {...{ label, slots, series, format }}
            hasTotal={kind === 'bars' && series.length > 1}
          />
        ) : (
          <Plot {...plot} />
        )}
      </div>
    </figure>
  )
}
