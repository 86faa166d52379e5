import { truncate } from '../../lib/format.ts'
import classes from './chart.module.css'
import { Swatch } from './look.tsx'
import { lookOf, type Series } from './series.ts'
import { spread } from './spread.ts'
import { stackAt } from './stack.ts'

const DISTANCE = 16
const LEADER = 10
const NAME_MAX = 20

type Props = {
  kind: 'bars' | 'lines'
  series: readonly Series[]
  y: (value: number) => number
  /** Right edge of the plot, where leader lines start. */
  x: number
  height: number
  prefix: string
}

export function EndLabels({ kind, series, y, x, height, prefix }: Props) {
  const anchors = kind === 'bars' ? barAnchors(series, y, height) : lineAnchors(series, y, height)
  const order = series.map((_, index) => index)
  if (kind === 'lines') order.sort((a, b) => (anchors[b] ?? 0) - (anchors[a] ?? 0))
  const placed = spread(
    order.map((index) => anchors[index] ?? height),
    DISTANCE,
  )
  return order.map((index, place) => {
    const own = series[index]
    const to = placed[place] ?? 0
    if (!own) return null
    return (
      <g key={own.id} transform={`translate(${x} 0)`}>
        <path className={classes['leader']} d={`M1 ${anchors[index] ?? to}L${LEADER} ${to}`} />
        <g transform={`translate(${LEADER + 3} ${to - 5})`}>
          <Swatch kind={kind} look={lookOf(own, index)} prefix={prefix} />
        </g>
        <text className={classes['label']} x={LEADER + 24} y={to + 4}>
          <title>{own.name}</title>
          {truncate(own.name, NAME_MAX)}
        </text>
      </g>
    )
  })
}

/**
 * Middle of each segment in the newest bar. A series without a segment is placed on top of the
 * segments below.
 */
function barAnchors(series: readonly Series[], y: (value: number) => number, height: number) {
  const last = (series[0]?.values.length ?? 0) - 1
  const segments = stackAt(series, last, y)
  let top = height
  return series.map((_, index) => {
    const segment = segments.find(({ series: own }) => own === index)
    if (!segment) return top
    top = segment.top
    return segment.top + segment.height / 2
  })
}

function lineAnchors(series: readonly Series[], y: (value: number) => number, height: number) {
  return series.map(({ values }) => {
    const newest = values.findLast((value) => value !== null)
    return newest == null ? height : y(newest)
  })
}
