import classes from './chart.module.css'
import { type Band, tickEvery } from './scale.ts'
import type { Slot } from './series.ts'

const TICK_TEXT_WIDTH = 48
const TEXT_BELOW = 16

type GridProps = {
  ticks: readonly number[]
  y: (value: number) => number
  width: number
  format: (value: number, step: number) => string
}

export function Grid({ ticks, y, width, format }: GridProps) {
  const [first = 0, second = 0] = ticks
  const step = second - first
  return ticks.map((tick) => (
    <g key={tick}>
      <path className={classes['grid']} d={`M0 ${y(tick) + 0.5}H${width}`} />
      <text className={classes['tick']} x={-8} y={y(tick) + 4} textAnchor="end">
        {format(tick, step)}
      </text>
    </g>
  ))
}

type TimeAxisProps = {
  slots: readonly Slot[]
  bands: readonly Band[]
  width: number
  height: number
}

/** Draws each n-th time label so that labels fit, aligned with the newest major slot. */
export function TimeAxis({ slots, bands, width, height }: TimeAxisProps) {
  const every = tickEvery(slots.length, width, TICK_TEXT_WIDTH)
  const major = slots.findLastIndex(({ isMajor }) => isMajor)
  const first = major === -1 ? slots.length - 1 : major
  return slots.map(({ start, tick }, index) =>
    (index - first) % every === 0 ? (
      <text
        key={start}
        className={classes['tick']}
        x={bands[index]?.middle}
        y={height + TEXT_BELOW}
        textAnchor="middle"
      >
        {tick}
      </text>
    ) : null,
  )
}
