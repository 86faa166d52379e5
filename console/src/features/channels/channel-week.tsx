import { useMemo } from 'react'
import type { ChannelTraffic } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { formatNumber, formatTime } from '../../lib/format.ts'
import { nowSeconds } from '../../lib/server-clock.ts'
import { Chart } from '../../ui/chart/chart.tsx'
import type { Slot } from '../../ui/chart/series.ts'
import { DAYS_SHOWN, weekSpan } from './view-queries.ts'

const DAY = 86_400
const DAY_LENGTH = 'yyyy-mm-dd'.length
const YEAR_LENGTH = 'yyyy-'.length

/** Answered and failed attempts of seven days. */
export function ChannelWeek({ hours }: { hours: ChannelTraffic['hours'] }) {
  const { t } = useTranslation()
  const { start_timestamp: start } = weekSpan(new Date(nowSeconds() * 1000))
  const slots = useMemo(
    () =>
      Array.from({ length: DAYS_SHOWN }, (_, day): Slot => {
        const from = start + day * DAY
        // Noon gives the right date even if the clocks changed in between.
        const name = formatTime(from + DAY / 2).slice(0, DAY_LENGTH)
        return { start: from, tick: name.slice(YEAR_LENGTH), name }
      }),
    [start],
  )
  const sumOf = (name: 'answers' | 'faults') =>
    slots.map((slot) =>
      hours
        .filter((hour) => hour.start >= slot.start && hour.start < slot.start + DAY)
        .reduce((sum, hour) => sum + hour[name], 0),
    )
  const series = [
    { id: 'answered', name: t('channelView.answered'), values: sumOf('answers') },
    { id: 'failed', name: t('channelView.failed'), values: sumOf('faults') },
  ]
  const hasAny = series.some(({ values }) => values.some((value) => value > 0))
  return (
    <Chart
      kind="bars"
      label={t('channelView.chart')}
      slots={slots}
      series={hasAny ? series : []}
      format={formatNumber}
      formatTick={formatNumber}
      unit={1}
      nothing={t('channelView.noAttempts')}
    />
  )
}
