import { useTranslation } from '../../i18n/use-translation.ts'
import './messages.ts'
import { NO_VALUE } from '../../lib/format.ts'
import classes from './chart.module.css'
import { Swatch } from './look.tsx'
import { lookOf, type Series, type Slot, totalAt } from './series.ts'

type Props = {
  kind: 'bars' | 'lines'
  series: readonly Series[]
  slots: readonly Slot[]
  at: number
  format: (value: number) => string
  prefix: string
  /** Pixels from the left of the plot, and the plot's width. */
  x: number
  width: number
}

const DISTANCE = 12
/**
 * Below this width in pixels the tooltip goes to the opposite edge, because it does not fit next to
 * the cursor.
 */
const BESIDE_FROM = 620

function sideOf(x: number, width: number) {
  const isRight = x > width / 2
  if (width < BESIDE_FROM) return isRight ? { left: 0 } : { right: 0 }
  return isRight ? { right: width - x + DISTANCE } : { left: x + DISTANCE }
}

export function Tip({ kind, series, slots, at, format, prefix, x, width }: Props) {
  const { t } = useTranslation()
  const rows = series.map((own, index) => ({ own, look: lookOf(own, index) }))
  if (kind === 'bars') rows.reverse()
  return (
    <div className={classes['tip']} style={sideOf(x, width)} aria-hidden>
      <div className={classes['tipTime']}>{slots[at]?.name}</div>
      {rows.map(({ own, look }) => {
        const value = own.values[at] ?? null
        return (
          <div key={own.id} className={classes['tipRow']}>
            <Swatch kind={kind} look={look} prefix={prefix} />
            <span className={classes['tipName']}>{own.name}</span>
            <span className={classes['tipValue']}>{value === null ? NO_VALUE : format(value)}</span>
          </div>
        )
      })}
      {kind === 'bars' && series.length > 1 && (
        <div className={classes['tipTotal']}>
          <span>{t('chart.column.total')}</span>
          <span className={classes['tipValue']}>{format(totalAt(series, at))}</span>
        </div>
      )}
    </div>
  )
}
