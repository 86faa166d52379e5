import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import type { Channel } from '@tollgate/contract'
import { useTableSearch } from '../../lib/use-table-search.ts'
import { AddButton } from '../../ui/data-table/add-button.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { ListActions } from '../../ui/data-table/list-actions.tsx'
import { totalText } from '../../ui/data-table/pager.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { BalanceNotice } from './balance-notice.tsx'
import { BulkActions } from './bulk-actions.tsx'
import { useChannelFilter } from './channel-filter.ts'
import { ChannelHealth } from './channel-health.ts'
import { columns } from './columns.tsx'
import { FilterChips } from './filter-chips.tsx'
import { useChannels, useChannelStats } from './queries.ts'
import { TestProgress } from './test-progress.tsx'
import { useChannelActions } from './use-channel-actions.ts'
import { useChannelBulk } from './use-channel-bulk.ts'
import { useTestRun } from './use-test-run.ts'

const TestDialog = lazy(async () => ({
  default: (await import('./test-dialog.tsx')).TestDialog,
}))

const NO_ROWS: readonly Channel[] = []

export function ChannelsPage() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { search, change } = useTableSearch()
  const { filter, setFilter, clear } = useChannelFilter()
  const state = useChannels(search, filter)
  const health = useChannelStats((state.rows ?? NO_ROWS).map(({ id }) => id))
  const run = useTestRun()
  const [tested, setTested] = useState<Channel | null>(null)
  const actions = useChannelActions(setTested)
  const bulk = useChannelBulk()
  const isFiltered = search.keyword !== '' || filter.status !== '' || filter.type !== ''
  const isEmpty = state.rows?.length === 0 && !isFiltered
  const add = { label: t('channel.list.add'), to: '/channel/add' }
  return (
    <Page
      title={t('channelTitle.list')}
      width="table"
      {...(state.total && { count: totalText(state.total) })}
      actions={
        <ListActions
          columns={columns}
          search={search}
          onSearch={change}
          filters={<FilterChips filter={filter} onChange={setFilter} />}
        >
          <BulkActions onTest={run.start} />
          <AddButton {...add} isQuiet={isEmpty} />
        </ListActions>
      }
    >
      <BalanceNotice />
      {run.progress && <TestProgress progress={run.progress} onDismiss={run.dismiss} />}
      <ChannelHealth value={health}>
        <DataTable
          label={t('channel.list.label')}
          columns={columns}
          state={state}
          search={search}
          onSearch={change}
          rowId={(channel) => String(channel.id)}
          rowName={(channel) => channel.name}
          actions={actions}
          bulk={bulk}
          onOpen={(channel) => void navigate(`/channel/edit/${channel.id}`)}
          isFiltered={isFiltered}
          onClearFilters={clear}
          empty={
            <Empty
              title={t('channel.list.emptyTitle')}
              body={t('channel.list.emptyBody')}
              action={<AddButton {...add} />}
            />
          }
        />
      </ChannelHealth>
      {tested && (
        <Suspense>
          <TestDialog channel={tested} onClose={() => setTested(null)} />
        </Suspense>
      )}
    </Page>
  )
}
