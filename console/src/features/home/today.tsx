import { Skeleton, Title } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { statEndpoints, wallTime } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { call } from '../../lib/api.ts'
import { changeText } from '../../lib/change-text.ts'
import { formatDollars, formatNumber, NO_VALUE } from '../../lib/format.ts'
import { marginOf, useCosts } from '../../lib/margins.ts'
import { Link } from '../../lib/router/router.tsx'
import { nowSeconds } from '../../lib/server-clock.ts'
import { useMoney } from '../../lib/status.ts'
import { useZoneOfDays } from '../../lib/zone.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import '../../ui/margin.messages.ts'
import { MarginText } from '../../ui/margin.tsx'
import { Money } from '../../ui/money.tsx'
import { RetryLine } from '../../ui/retry-line.tsx'
import { useDelayed } from '../../ui/use-delayed.ts'
import classes from './home-page.module.css'
import { todaySpan } from './today-span.ts'

const BY_GROUP = ['group'] as const

/** Height of the facts that the placeholder stands for, in pixels. */
const FACTS_HEIGHT = 166

export function useToday(isWanted: boolean) {
  const zone = useZoneOfDays()
  const now = Math.floor(nowSeconds())
  const span = todaySpan(now, zone)
  const utc_offset = (wallTime(zone, now) - now) / 60
  const usage = useQuery({
    queryKey: ['stat', 'usage', 'today', span],
    queryFn: async ({ signal }) => {
      const query = { ...span, step: 'hour', utc_offset } as const
      return (await call(statEndpoints.getUsage, { query }, signal)).data
    },
    enabled: isWanted,
    // The key changes every hour.
    placeholderData: keepPreviousData,
    meta: { quiet: true },
  })
  return { usage, costs: useCosts({ by: BY_GROUP, span }, isWanted) }
}

/** Answers an operator's second question: what does today cost, and earn? */
export function Today({ isWanted }: { isWanted: boolean }) {
  const { t } = useTranslation()
  const money = useMoney()
  const { usage, costs } = useToday(isWanted)
  const isLate = useDelayed(usage.isPending)
  if (!usage.data) {
    return (
      <TodaySection>
        {usage.error ? (
          <RetryLine error={usage.error} onRetry={() => void usage.refetch()} />
        ) : (
          <Skeleton height={FACTS_HEIGHT} visible={isLate} />
        )}
      </TodaySection>
    )
  }
  const { total, yesterday_so_far: before } = usage.data
  const margin = costs.data ? marginOf(costs.data, money.quotaPerUnit) : null
  const change = changeText(total.quota, before.quota)
  const retry = costs.error && !costs.data && (
    <RetryLine error={costs.error} onRetry={() => void costs.refetch()} />
  )
  return (
    <TodaySection>
      <DescriptionList
        items={[
          {
            name: t('home.today.charged'),
            value: (
              <>
                <Money quota={total.quota} settings={money} />{' '}
                {change !== null && (
                  <span className={classes['change']}>{t('home.today.change', { change })}</span>
                )}
              </>
            ),
          },
          {
            name: t('home.today.cost'),
            value: retry || (margin === null ? NO_VALUE : formatDollars(margin.cost, 1)),
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
    </TodaySection>
  )
}

function TodaySection({ children }: { children: ReactNode }) {
  const { t } = useTranslation()
  return (
    <section>
      <Title order={2} mb="sm">
        {t('home.today.title')}
      </Title>
      {children}
    </section>
  )
}
