import { useMemo } from 'react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { formatDuration } from '../../lib/format.ts'
import { formatDurationTick } from '../../ui/chart/amounts.ts'
import { Chart } from '../../ui/chart/chart.tsx'
import { SERIES_MAX } from '../../ui/chart/series.ts'
import { slotsOf } from '../../ui/chart/span.ts'
import { latencyOf } from './figures.ts'
import type { LoadedChannels } from './queries.ts'
import { useChannelName } from './use-channel-name.ts'

const MILLISECONDS = 1000

type Props = { loaded: LoadedChannels; isStale: boolean }

/**
 * Latency of the busiest channels. Latencies do not add up, so the remaining channels are left out.
 */
export function LatencyChart({ loaded, isStale }: Props) {
  const { t } = useTranslation()
  const nameOf = useChannelName()
  const { span, channels } = loaded
  const slots = useMemo(() => slotsOf(span), [span])
  // A channel without a single answer has no line and takes no place.
  const measured = channels.filter(({ latency_p50 }) => latency_p50 !== null)
  const series = measured.slice(0, SERIES_MAX).map((channel) => ({
    id: String(channel.channel_id),
    name: nameOf(channel),
    values: latencyOf(channel, span, slots.length),
  }))
  return (
    <Chart
      kind="lines"
      label={t('dashboard.chart.latency')}
      slots={slots}
      series={series}
      format={formatDuration}
      formatTick={formatDurationTick}
      unit={MILLISECONDS}
      nothing={t('dashboard.chart.noLatency')}
      isStale={isStale}
    />
  )
}
