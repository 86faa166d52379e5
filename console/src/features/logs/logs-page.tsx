import { Button } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { Radio, RefreshCw } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from '../../i18n/use-translation.ts'
import type { Ask } from '../../lib/feature.ts'
import { formatNumber, formatQuota, formatTime } from '../../lib/format.ts'
import { Link, useSearchParams } from '../../lib/router/router.tsx'
import { getIsAdmin, useIsAdmin } from '../../lib/session.ts'
import { useMoney } from '../../lib/status.ts'
import { parseTableSearch } from '../../lib/table-search.ts'
import { useTableSearch } from '../../lib/use-table-search.ts'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { totalText } from '../../ui/data-table/pager.tsx'
import { useHiddenColumns } from '../../ui/data-table/use-hidden-columns.ts'
import { ViewMenu } from '../../ui/data-table/view-menu.tsx'
import { Empty } from '../../ui/empty.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Page } from '../../ui/page.tsx'
import { adminColumns, csvColumns, ownColumns } from './columns.tsx'
import { FacetsSheet } from './facets-sheet.tsx'
import { Facets } from './facets.tsx'
import { Filters } from './filters.tsx'
import type { Fields } from './log-fields.ts'
import {
  hasSum,
  isFiltered,
  type LogFilter,
  NO_FILTER,
  parseLogFilter,
  withLogFilter,
} from './log-search.ts'
import classes from './logs.module.css'
import { PrintedFilter } from './printed-filter.tsx'
import { logsQueries, useFacets, useLogs, useLogSum, useRefresh } from './queries.ts'
import { Receipt } from './receipt.tsx'
import { ViewsMenu } from './views-menu.tsx'

/** Narrower windows have the facets in a sheet; logs.module.css has the width too. */
const WIDE = '(min-width: 900px)'

export function LogsPage() {
  const { t } = useTranslation()
  const isAdmin = useIsAdmin()
  const money = useMoney()
  const { search, change } = useTableSearch()
  const [params, setParams] = useSearchParams()
  const filter = useMemo(() => parseLogFilter(params), [params])
  const [isLive, setIsLive] = useState(false)
  const scope = { isAdmin, filter }
  const isNewestFirst = search.p === 0 && search.order === 'desc' && isByTime(search.sort)
  const state = useLogs(search, { ...scope, isLive: isLive && isNewestFirst })
  const sum = useLogSum(scope)
  const facets = useFacets(scope)
  // Room stays for those that are still loading.
  const hasFacets = facets?.facets.some(({ values }) => values.length > 0) ?? true
  const columns = isAdmin ? adminColumns : ownColumns
  const hidden = useHiddenColumns(columns, search)
  const refresh = useRefresh()
  const isWide = useMediaQuery(WIDE, true, { getInitialValueInEffect: false })
  const setFilter = (next: LogFilter) => setParams((current) => withLogFilter(current, next))
  const setFields = (fields: Fields) => setFilter({ ...filter, ...fields })
  return (
    <Page
      title={t('logTitle.list')}
      width="table"
      {...(state.total && { count: totalText(state.total) })}
      actions={
        <>
          <span
            className={classes['sum']}
            aria-live="polite"
            title={sum === undefined || !hasSum(filter) ? undefined : formatNumber(sum)}
          >
            {sum !== undefined &&
              hasSum(filter) &&
              t('log.list.sum', { quota: formatQuota(sum, money) })}
          </span>
          <FacetsSheet facets={facets} fields={filter} onChange={setFields} />
          <Button
            variant={isLive ? 'filled' : 'default'}
            aria-pressed={isLive}
            disabled={!isNewestFirst}
            title={isNewestFirst ? undefined : t('log.list.liveNeeds')}
            leftSection={<Radio size={14} aria-hidden />}
            onClick={() => setIsLive(!isLive)}
          >
            {t('log.list.live')}
          </Button>
          <ViewsMenu />
          <ViewMenu columns={columns} hidden={hidden} onChange={(ids) => change({ hidden: ids })} />
          <IconButton
            size={32}
            isOutlined
            aria-label={t('common.action.refresh')}
            onClick={refresh}
          >
            <RefreshCw size={14} aria-hidden />
          </IconButton>
        </>
      }
    >
      <PrintedFilter filter={filter} />
      <Filters filter={filter} facets={facets} isAdmin={isAdmin} onChange={setFilter} />
      <div className={classes['split']} data-plain={!hasFacets || undefined}>
        {isWide && hasFacets && (
          <div className={classes['side']}>
            <Facets facets={facets} fields={filter} onChange={setFields} />
          </div>
        )}
        <DataTable
          label={t('log.list.label')}
          columns={columns}
          csvColumns={csvColumns}
          state={state}
          search={{ ...search, sort: search.sort ?? 'id' }}
          onSearch={change}
          rowId={(log) => String(log.id)}
          rowName={(log) =>
            t('log.list.rowName', { time: formatTime(log.created_at), model: log.model_name })
          }
          detail={(log) => <Receipt log={log} />}
          isFiltered={isFiltered(filter)}
          onClearFilters={() => setFilter(NO_FILTER)}
          empty={
            <Empty
              title={t('log.list.emptyTitle')}
              body={t('log.list.emptyBody')}
              action={
                <Button component={Link} to="/token">
                  {t('log.list.emptyAction')}
                </Button>
              }
            />
          }
        />
      </div>
    </Page>
  )
}

LogsPage.asks = (ask: Ask, params: URLSearchParams) => {
  const scope = { isAdmin: getIsAdmin(), filter: parseLogFilter(params) }
  const { list, sum, facets } = logsQueries(parseTableSearch(params), scope)
  ask(list)
  ask(sum)
  ask(facets)
}

const isByTime = (sort: string | null) => sort === null || sort === 'id'
