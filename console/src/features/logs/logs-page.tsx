import { Button } from '@mantine/core'
import { RefreshCw } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useSearchParams } from 'react-router'
import { formatNumber, formatTime, formatTotal } from '../../lib/format.ts'
import { useIsAdmin } from '../../lib/session.ts'
import { useMoney } from '../../lib/status.ts'
import { useTableSearch } from '../../lib/use-table-search.ts'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { totalText } from '../../ui/data-table/pager.tsx'
import { useHiddenColumns } from '../../ui/data-table/use-hidden-columns.ts'
import { ViewMenu } from '../../ui/data-table/view-menu.tsx'
import { Empty } from '../../ui/empty.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Page } from '../../ui/page.tsx'
import { adminColumns, ownColumns } from './columns.tsx'
import { Filters } from './filters.tsx'
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
import { useLogs, useLogSum, useRefresh } from './queries.ts'
import { Receipt } from './receipt.tsx'

export function LogsPage() {
  const { t } = useTranslation()
  const isAdmin = useIsAdmin()
  const money = useMoney()
  const { search, change } = useTableSearch()
  const [params, setParams] = useSearchParams()
  const filter = useMemo(() => parseLogFilter(params), [params])
  const scope = { isAdmin, filter }
  const state = useLogs(search, scope)
  const sum = useLogSum(scope)
  const columns = isAdmin ? adminColumns : ownColumns
  const hidden = useHiddenColumns(columns, search)
  const refresh = useRefresh()
  const setFilter = (next: LogFilter) => setParams((current) => withLogFilter(current, next))
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
              t('log.list.sum', { quota: formatTotal(sum, money) })}
          </span>
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
      <Filters filter={filter} isAdmin={isAdmin} onChange={setFilter} />
      <DataTable
        label={t('log.list.label')}
        columns={columns}
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
    </Page>
  )
}
