import { Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { statEndpoints, wallTime } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { changeText } from '../../lib/change-text.ts'
import { formatNumber, formatQuota, NO_VALUE } from '../../lib/format.ts'
import { marginOf, useCosts } from '../../lib/margins.ts'
import { Link } from '../../lib/router/router.tsx'
import { useMoney } from '../../lib/status.ts'
import { useZoneOfDays } from '../../lib/zone.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import '../../ui/margin.messages.ts'
import { MarginText } from '../../ui/margin.tsx'
import { Money } from '../../ui/money.tsx'
import { todaySpan } from './today-span.ts'

const BY_GROUP = ['group'] as const

const DOLLARS = { quotaPerUnit: 1, inCurrency: true }

function useToday() {
  const zone = useZoneOfDays()
  const now = Math.floor(Date.now() / 1000)
  const span = todaySpan(now, zone)
  const utc_offset = (wallTime(zone, now) - now) / 60
  const usage = useQuery({
    queryKey: ['stat', 'usage', 'today', span],
    queryFn: async ({ signal }) => {
      const query = { ...span, step: 'hour', utc_offset } as const
      return (await call(statEndpoints.getUsage, { query }, signal)).data
    },
    meta: { quiet: true },
  })
  return { usage: usage.data, costs: useCosts({ by: BY_GROUP, span }).data }
}

/** Answers an operator's second question: what does today cost, and earn? */
export function Today() {
  const { t } = useTranslation()
  const money = useMoney()
  const { usage, costs } = useToday()
  if (!usage) return null
  const { total, yesterday_so_far: before } = usage
  const margin = costs ? marginOf(costs, money.quotaPerUnit) : null
  const change = changeText(total.quota, before.quota)
  return (
    <section>
      <Title order={2} mb="sm">
        {t('home.today.title')}
      </Title>
      <DescriptionList
        items={[
          {
            name: t('home.today.charged'),
            value: (
              <>
                <Money quota={total.quota} settings={money} />{' '}
                {change !== null && t('home.today.change', { change })}
              </>
            ),
          },
          {
            name: t('home.today.cost'),
            value: margin === null ? NO_VALUE : formatQuota(margin.cost, DOLLARS),
          },
          { name: t('margin.label'), value: <MarginText margin={margin} /> },
          { name: t('home.today.requests'), value: formatNumber(total.requests) },
          {
            name: t('home.today.failed'),
            value:
              total.failures === 0 ? (
                formatNumber(0)
              ) : (
                <Link to="/log?type=2&outcome=failed,cut_off,cancelled&range=today">
                  {formatNumber(total.failures)}
                </Link>
              ),
          },
        ]}
      />
    </section>
  )
}
