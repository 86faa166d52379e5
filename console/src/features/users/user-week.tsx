import { Button } from '@mantine/core'
import { useMemo } from 'react'
import { useTranslation } from '../../i18n/use-translation.ts'
import { amountsFormat } from '../../lib/format.ts'
import { Link } from '../../lib/router/router.tsx'
import { useMoney } from '../../lib/status.ts'
import { formatSpendTick } from '../../ui/chart/amounts.ts'
import { Chart } from '../../ui/chart/chart.tsx'
import { slotAt, slotsOf } from '../../ui/chart/span.ts'
import { LoadedSection } from '../../ui/loaded-section.tsx'
import { useUserUsage } from './view-queries.ts'

export function UserWeek({ id }: { id: number }) {
  const { t } = useTranslation()
  const usage = useUserUsage(id)
  // The chart has a heading of its own.
  if (usage.data) return <Spend id={id} loaded={usage.data} />
  return (
    <LoadedSection id="usage" title={t('userView.chart')} query={usage}>
      {() => null}
    </LoadedSection>
  )
}

type Loaded = NonNullable<ReturnType<typeof useUserUsage>['data']>

function Spend({ id, loaded: { span, usage } }: { id: number; loaded: Loaded }) {
  const { t } = useTranslation()
  const money = useMoney()
  const slots = useMemo(() => slotsOf(span), [span])
  const values = slots.map((_, slot) =>
    usage.buckets
      .filter(({ start }) => slotAt(span, start) === slot)
      .reduce((sum, { quota }) => sum + quota, 0),
  )
  const series = [{ id: 'spend', name: t('userView.spent'), values }]
  return (
    <Chart
      kind="bars"
      label={t('userView.chart')}
      slots={slots}
      series={values.some((value) => value > 0) ? series : []}
      format={amountsFormat(values, money)}
      formatTick={(quota, step) => formatSpendTick(quota, step, money)}
      unit={money.inCurrency ? money.quotaPerUnit : 1}
      nothing={t('userView.noUsage')}
      controls={
        <Button component={Link} to={`/usage?user=${id}`} size="xs" variant="default">
          {t('userView.explore')}
        </Button>
      }
    />
  )
}
