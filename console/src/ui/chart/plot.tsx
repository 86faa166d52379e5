import { type KeyboardEvent, type PointerEvent, useId, useState } from 'react'
import { joinNames } from '../../i18n/texts.ts'
import { useTranslation } from '../../i18n/use-translation.ts'
import { NO_VALUE } from '../../lib/format.ts'
import { useTapElsewhere } from '../use-tap-elsewhere.ts'
import { Grid, TimeAxis } from './axes.tsx'
import classes from './chart.module.css'
import { EndLabels } from './end-labels.tsx'
import { Patterns, Swatch } from './look.tsx'
import { Bars, Lines } from './marks.tsx'
import './messages.ts'
import { axisWidth, bandsOf, niceTicks, verticalScale } from './scale.ts'
import { isAllZero, lookOf, type Series, type Slot, totalAt } from './series.ts'
import { Tip } from './tip.tsx'
import { useWidth } from './use-width.ts'

export type PlotProps = {
  kind: 'bars' | 'lines'
  label: string
  slots: readonly Slot[]
  series: readonly Series[]
  format: (value: number) => string
  formatTick: (value: number, step: number) => string
  unit?: number
  isWhole?: boolean
  /** Text shown instead of an empty plot. */
  nothing: string
  /** A click on a slot, with the series under the pointer, or Enter. A tap shows the values. */
  onChoose?: (slot: number, seriesId: string | null) => void
}

const TOP = 8
const HEIGHT = 200
const BELOW = 24
const LABELS = 184
/** Half the width of a time label. */
const RIGHT = 20
/** Below this width in pixels, names go above the plot. */
const LABELS_FROM = 620

export function Plot(props: PlotProps) {
  const { kind, slots, series, format, unit, isWhole, onChoose } = props
  const { ref, width } = useWidth()
  const prefix = useId()
  const [at, setAt] = useState<number | null>(null)
  const hasLabels = width >= LABELS_FROM
  const max = maxOf(kind, series, slots.length)
  const min = kind === 'lines' ? minOf(series) : 0
  const ticks = niceTicks(max, { min, ...(unit && { unit }), ...(isWhole && { isWhole }) })
  const [first = 0, second = 0] = ticks
  const left = axisWidth(ticks.map((tick) => props.formatTick(tick, second - first)))
  const room = Math.max(0, width - left - (hasLabels ? LABELS : RIGHT))
  const bands = bandsOf(slots.length, room)
  const y = verticalScale([ticks[0] ?? 0, ticks.at(-1) ?? 0], HEIGHT)
  const band = at === null ? undefined : bands[at]
  const isEmpty = isAllZero(series)
  const pointAt = (event: PointerEvent<HTMLDivElement>) => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left - left
    const slot = Math.floor((x / room) * slots.length)
    setAt(x < 0 || x > room ? null : Math.min(slot, slots.length - 1))
  }
  const choose = ({ pointerType, button, target }: PointerEvent<HTMLDivElement>) => {
    if (pointerType === 'touch' || button !== 0 || at === null) return
    const mark = target instanceof Element ? target.closest('[data-series]') : null
    onChoose?.(at, mark?.getAttribute('data-series') ?? null)
  }
  useTapElsewhere(at !== null, setAt)
  const Marks = kind === 'bars' ? Bars : Lines
  const labels = { kind, series, prefix }
  return (
    <>
      <Legend {...labels} isShown={!hasLabels && width > 0 && !isEmpty} />
      <div
        ref={ref}
        className={classes['plot']}
        data-clickable={onChoose !== undefined || undefined}
        onPointerMove={pointAt}
        onPointerDown={pointAt}
        onPointerUp={choose}
        onPointerLeave={({ pointerType }) => pointerType !== 'touch' && setAt(null)}
      >
        <Reader {...props} at={at} onRead={setAt} />
        {width > 0 && (
          <svg width={width} height={TOP + HEIGHT + BELOW} aria-hidden>
            <Patterns prefix={prefix} />
            <g transform={`translate(${left} ${TOP})`}>
              <Grid ticks={ticks} y={y} width={room} format={props.formatTick} />
              {band && <rect className={classes['cursor']} {...cursorOf(band)} height={HEIGHT} />}
              <Marks series={series} bands={bands} y={y} prefix={prefix} />
              <TimeAxis slots={slots} bands={bands} width={room} height={HEIGHT} />
              {hasLabels && !isEmpty && <EndLabels {...labels} y={y} x={room} height={HEIGHT} />}
            </g>
          </svg>
        )}
        {isEmpty && <p className={classes['nothing']}>{props.nothing}</p>}
        {band && at !== null && !isEmpty && (
          <Tip
            {...labels}
            slots={slots}
            at={at}
            format={format}
            x={left + band.middle}
            width={width}
          />
        )}
      </div>
    </>
  )
}

const cursorOf = ({ x, width }: { x: number; width: number }) => ({ x: x - 1, width: width + 2 })

function maxOf(kind: 'bars' | 'lines', series: readonly Series[], count: number): number {
  const values =
    kind === 'bars'
      ? Array.from({ length: count }, (_, slot) => totalAt(series, slot))
      : series.flatMap(({ values: own }) => own.map((value) => value ?? 0))
  return values.reduce((max, value) => Math.max(max, value), 0)
}

/** A loss is below zero. */
const minOf = (series: readonly Series[]): number =>
  series
    .flatMap(({ values }) => values)
    .reduce<number>((min, value) => Math.min(min, value ?? 0), 0)

type ReaderProps = PlotProps & { at: number | null; onRead: (at: number | null) => void }

/**
 * Screen reader and keyboard access: a slider over time that announces all values at its position.
 */
function Reader({ label, slots, series, format, kind, at, onRead, onChoose }: ReaderProps) {
  const { t } = useTranslation()
  const last = slots.length - 1
  const shown = at ?? last
  const values = series.map(({ name, values: own }) => {
    const value = own[shown] ?? null
    return t('chart.figure.value', { name, value: value === null ? NO_VALUE : format(value) })
  })
  if (kind === 'bars') {
    const value = format(totalAt(series, shown))
    values.push(t('chart.figure.value', { name: t('chart.column.total'), value }))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onRead(null)
    if (event.key === 'Enter') onChoose?.(shown, null)
  }
  return (
    <input
      type="range"
      className={classes['reader']}
      min={0}
      max={Math.max(0, last)}
      value={shown}
      aria-label={t('chart.figure.read', { label })}
      aria-valuetext={t('chart.figure.at', {
        time: slots[shown]?.name ?? '',
        values: joinNames(values),
      })}
      onChange={(event) => onRead(Number(event.currentTarget.value))}
      onFocus={() => onRead(shown)}
      onBlur={() => onRead(null)}
      onKeyDown={onKeyDown}
    />
  )
}

type LegendProps = {
  kind: 'bars' | 'lines'
  series: readonly Series[]
  prefix: string
  isShown: boolean
}

/** Shown on narrow screens; wide screens use labels next to the values. */
function Legend({ kind, series, prefix, isShown }: LegendProps) {
  const { t } = useTranslation()
  if (!isShown) return null
  return (
    <ul className={classes['legend']} aria-label={t('chart.figure.legend')}>
      {series.map((own, index) => (
        <li key={own.id}>
          <Swatch kind={kind} look={lookOf(own, index)} prefix={prefix} />
          <span title={own.name}>{own.name}</span>
        </li>
      ))}
    </ul>
  )
}
