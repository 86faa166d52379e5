import classes from './chart.module.css'
import { linePath } from './path.ts'

const WIDTH = 64
const HEIGHT = 16
/** Room for half the line width and the round caps. */
const PADDING = 2

type Props = {
  /** Oldest first; null where nothing was measured. */
  values: readonly (number | null)[]
  /** Accessible description, also shown on hover. */
  label: string
}

export function Sparkline({ values, label }: Props) {
  const max = Math.max(0, ...values.map((value) => value ?? 0))
  const step = (WIDTH - 2 * PADDING) / Math.max(1, values.length - 1)
  // The line spans hours without a value: lone dots would look like specks of dust.
  const points = values.flatMap((value, index) => {
    if (value === null) return []
    const share = max === 0 ? 0 : Math.max(0, value) / max
    return [{ x: PADDING + index * step, y: HEIGHT - PADDING - share * (HEIGHT - 2 * PADDING) }]
  })
  return (
    <svg
      role="img"
      className={classes['sparkline']}
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
    >
      <title>{label}</title>
      <path className={classes['base']} d={`M0 ${HEIGHT - 0.5}H${WIDTH}`} />
      {points.length > 1 && <path className={classes['spark']} d={linePath(points)} />}
    </svg>
  )
}
