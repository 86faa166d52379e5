import { Button } from '@mantine/core'
import { useIsFetching, useQuery, useQueryClient } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { COST_DIMENSIONS } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { errorText } from '../../lib/report-error.ts'
import { Link, useSearchParams } from '../../lib/router/router.tsx'
import { selfQuery } from '../../lib/self.ts'
import { useIsAdmin } from '../../lib/session.ts'
import { isOtherZone, useZoneOfDays } from '../../lib/zone.ts'
import { costSpanOf, RANGES } from '../../ui/chart/span.ts'
import { Choice } from '../../ui/choice.tsx'
import { Empty } from '../../ui/empty.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import '../../ui/margin.messages.ts'
import { Margins } from '../../ui/margin.tsx'
import { Page } from '../../ui/page.tsx'
import { Channels } from './channels.tsx'
import { ChartSkeleton } from './chart-skeleton.tsx'
import {
  type DashboardSearch,
  parseDashboardSearch,
  SCOPES,
  withDashboardSearch,
} from './dashboard-search.ts'
import classes from './dashboard.module.css'
import { useUsage } from './queries.ts'
import { Tiles } from './tiles.tsx'
import { UnpricedNotice } from './unpriced-notice.tsx'
import { UsageChart } from './usage-chart.tsx'
import { ModelsTable, UsersTable } from './usage-tables.tsx'

export function DashboardPage() {
  const { t } = useTranslation()
  const isAdmin = useIsAdmin()
  const [params, setParams] = useSearchParams()
  const search = parseDashboardSearch(params, isAdmin)
  const { scope, range } = search
  const change = (part: Partial<DashboardSearch>) =>
    setParams((current) => withDashboardSearch(current, part))
  return (
    <Page
      title={t('dashboardTitle.nav')}
      width="table"
      actions={
        <>
          {isAdmin && (
            <Choice
              label={t('dashboard.scope.label')}
              options={SCOPES.map((value) => ({ value, label: t(`dashboard.scope.${value}`) }))}
              value={scope}
              onChange={(next) => change({ scope: next })}
            />
          )}
          <Choice
            label={t('dashboard.range.label')}
            options={RANGES.map((value) => ({ value, label: t(`dashboard.range.${value}`) }))}
            value={range}
            onChange={(next) => change({ range: next })}
          />
          <Button component={Link} to="/usage" variant="default">
            {t('dashboard.explore')}
          </Button>
          <Refresh />
        </>
      }
    >
      {isAdmin && <UnpricedNotice />}
      {/* Remounted per scope, so that data of one scope never shows under the other. */}
      <Figures key={scope} search={search} onSearch={change} />
    </Page>
  )
}

function Refresh() {
  const { t } = useTranslation()
  const client = useQueryClient()
  const isFetching = useIsFetching({ queryKey: ['stat'] }) > 0
  const refresh = () =>
    Promise.all([
      client.refetchQueries({ queryKey: ['stat'], type: 'active' }),
      client.refetchQueries({ queryKey: selfQuery.queryKey, type: 'active' }),
    ])
  return (
    <IconButton
      size={32}
      isOutlined
      aria-label={t('common.action.refresh')}
      aria-busy={isFetching}
      onClick={() => void refresh()}
    >
      <RefreshCw size={14} aria-hidden />
    </IconButton>
  )
}

type Props = { search: DashboardSearch; onSearch: (part: Partial<DashboardSearch>) => void }

function Figures({ search, onSearch }: Props) {
  const { t } = useTranslation()
  const { scope, range, metric } = search
  const { data, error, isPlaceholderData, refetch } = useUsage(scope, range)
  if (error && !data) {
    return (
      <Empty
        alert
        title={t('dashboard.failed.usage')}
        body={errorText(error)}
        action={
          <Button variant="default" onClick={() => void refetch()}>
            {t('common.action.retry')}
          </Button>
        }
      />
    )
  }
  const isEmpty = data?.usage.total.requests === 0 && !isPlaceholderData
  const table = { loaded: data, isStale: isPlaceholderData }
  const parts = (
    <div className={classes['parts']}>
      <ZoneNote />
      <Tiles scope={scope} range={range} loaded={data} />
      {isEmpty && <NoRequests />}
      {!data && <ChartSkeleton />}
      {data && !isEmpty && (
        <UsageChart
          loaded={data}
          metric={metric}
          onMetric={(next) => onSearch({ metric: next })}
          isStale={isPlaceholderData}
        />
      )}
      {scope === 'everyone' && <Channels range={range} isShown={!isEmpty} />}
      {!isEmpty && (
        <div className={classes['pair']} data-single={scope === 'mine' || undefined}>
          <ModelsTable {...table} scope={scope} />
          {scope === 'everyone' && <UsersTable {...table} />}
        </div>
      )}
    </div>
  )
  if (scope === 'mine') return parts
  return (
    <Margins by={COST_DIMENSIONS} span={costSpanOf(data?.span)} isShown={data !== undefined}>
      {parts}
    </Margins>
  )
}

/** The rest of the console shows times of the browser's zone. */
function ZoneNote() {
  const { t } = useTranslation()
  const zone = useZoneOfDays()
  if (!isOtherZone(zone, Date.now() / 1000)) return null
  return <p className={classes['note']}>{t('dashboard.zone', { zone })}</p>
}

function NoRequests() {
  const { t } = useTranslation()
  const { data } = useQuery(selfQuery)
  const isFirst = data?.request_count === 0
  return (
    <Empty
      title={t(isFirst ? 'dashboard.empty.firstTitle' : 'dashboard.empty.rangeTitle')}
      body={t(isFirst ? 'dashboard.empty.firstBody' : 'dashboard.empty.rangeBody')}
      action={
        <Button component={Link} to="/token">
          {t('dashboard.empty.tokens')}
        </Button>
      }
    />
  )
}
