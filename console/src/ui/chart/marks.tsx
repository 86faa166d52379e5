import classes from './chart.module.css'
import { dashOf, fillOf } from './look.tsx'
import { dotsPath, linePath } from './path.ts'
import type { Band } from './scale.ts'
import { lookOf, type Series } from './series.ts'
import { stackAt } from './stack.ts'

type Props = {
  series: readonly Series[]
  bands: readonly Band[]
  y: (value: number) => number
  prefix: string
}

/** Thinner segments get no gap to the segment below, in pixels. */
const PARTED_MIN = 3
/** Narrower bars get a plain fill, because a pattern would be noise. In pixels. */
const PATTERN_MIN = 8

export function Bars({ series, bands, y, prefix }: Props) {
  return bands.map((band, slot) => (
    <g key={band.x}>
      {stackAt(series, slot, y).map(({ series: index, top, height }, place) => {
        const own = series[index]
        if (!own) return null
        const parting = place > 0 && height >= PARTED_MIN ? 1 : 0
        return (
          <rect
            key={own.id}
            data-series={own.id}
            data-inert={own.isInert || undefined}
            x={band.x}
            y={top}
            width={band.width}
            height={height - parting}
            {...(band.width < PATTERN_MIN
              ? { className: classes['ink'], 'data-look': lookOf(own, index) }
              : { fill: fillOf(prefix, lookOf(own, index)) })}
            shapeRendering="crispEdges"
          />
        )
      })}
    </g>
  ))
}

/** One line per series, interrupted at missing values. */
export function Lines({ series, bands, y }: Props) {
  return series.map((own, index) => {
    const look = lookOf(own, index)
    const points = bands.map(({ middle }, slot) => {
      const value = own.values[slot] ?? null
      return value === null ? null : { x: middle, y: y(value) }
    })
    return (
      <g
        key={own.id}
        data-series={own.id}
        data-inert={own.isInert || undefined}
        className={classes['line']}
        data-look={look}
      >
        <path strokeDasharray={dashOf(look)} d={linePath(points)} />
        <path data-dots d={dotsPath(points)} />
      </g>
    )
  })
}
