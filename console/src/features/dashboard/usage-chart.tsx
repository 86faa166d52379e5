import { useMemo } from 'react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { amountsFormat, formatNumber } from '../../lib/format.ts'
import { useMoney } from '../../lib/status.ts'
import { formatCountTick, formatSpendTick } from '../../ui/chart/amounts.ts'
import { Chart } from '../../ui/chart/chart.tsx'
import { slotsOf } from '../../ui/chart/span.ts'
import { Choice } from '../../ui/choice.tsx'
import { type Metric, METRICS, seriesOf } from './figures.ts'
import type { Loaded } from './queries.ts'

const NOTHING = {
  quota: 'dashboard.chart.noQuota',
  requests: 'dashboard.chart.noRequests',
  failures: 'dashboard.chart.noFailures',
} as const

type Props = {
  loaded: Loaded
  metric: Metric
  onMetric: (metric: Metric) => void
  isStale: boolean
}

export function UsageChart({ loaded, metric, onMetric, isStale }: Props) {
  const { t } = useTranslation()
  const money = useMoney()
  const { span, usage } = loaded
  const otherName = t('chart.series.other')
  const slots = useMemo(() => slotsOf(span), [span])
  const series = useMemo(
    () => seriesOf(usage, { span, count: slots.length, metric, otherName }),
    [usage, span, slots, metric, otherName],
  )
  const amounts = series.flatMap(({ values }) => values.map((value) => value ?? 0))
  const isSpend = metric === 'quota'
  return (
    <Chart
      kind="bars"
      label={t(`dashboard.chart.${metric}`)}
      slots={slots}
      series={series}
      format={isSpend ? amountsFormat(amounts, money) : formatNumber}
      formatTick={isSpend ? (quota, step) => formatSpendTick(quota, step, money) : formatCountTick}
      unit={isSpend && money.inCurrency ? money.quotaPerUnit : 1}
      isWhole={!isSpend || !money.inCurrency}
      nothing={t(NOTHING[metric])}
      isStale={isStale}
      controls={
        <Choice
          label={t('dashboard.metric.label')}
          options={METRICS.map((value) => ({ value, label: t(`dashboard.metric.${value}`) }))}
          value={metric}
          onChange={onMetric}
        />
      }
    />
  )
}
