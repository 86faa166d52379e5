import { Button } from '@mantine/core'
import { useTranslation } from '../../i18n/use-translation.ts'
import { errorText } from '../../lib/report-error.ts'
import type { Range } from '../../ui/chart/span.ts'
import { Empty } from '../../ui/empty.tsx'
import { ChannelsTable } from './channels-table.tsx'
import { ChartSkeleton } from './chart-skeleton.tsx'
import { LatencyChart } from './latency-chart.tsx'
import { useChannelStats } from './queries.ts'

type Props = { range: Range; isShown: boolean }

/** Admins only: shows which channels fail and since when. */
export function Channels({ range, isShown }: Props) {
  const { t } = useTranslation()
  const { data, error, isPlaceholderData, refetch } = useChannelStats(range)
  if (error && !data) {
    return (
      <Empty
        alert
        title={t('dashboard.failed.channels')}
        body={errorText(error)}
        action={
          <Button variant="default" onClick={() => void refetch()}>
            {t('common.action.retry')}
          </Button>
        }
      />
    )
  }
  if (!isShown) return null
  return (
    <>
      <ChannelsTable loaded={data} isStale={isPlaceholderData} />
      {data ? <LatencyChart loaded={data} isStale={isPlaceholderData} /> : <ChartSkeleton />}
    </>
  )
}
