import { Button } from '@mantine/core'
import { useMemo, useState } from 'react'
import type { Channel } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import type { Ask } from '../../lib/feature.ts'
import { managedQuery } from '../../lib/managed.ts'
import { marginSpan } from '../../lib/margins.ts'
import { useNavigate } from '../../lib/router/router.tsx'
import { nowSeconds } from '../../lib/server-clock.ts'
import { parseTableSearch, type TableSearch } from '../../lib/table-search.ts'
import { useTableSearch } from '../../lib/use-table-search.ts'
import { ListPage } from '../../ui/data-table/list-page.tsx'
import { LazyPart } from '../../ui/lazy-part.tsx'
import { Margins, MarginsFailure } from '../../ui/margin.tsx'
import '../../ui/margin.messages.ts'
import { AllChannelsActions, type ChannelsDialog } from './all-channels-actions.tsx'
import { BalanceNotice } from './balance-notice.tsx'
import { parseChannelFilter, useChannelFilter } from './channel-filter.ts'
import { ChannelRows } from './channel-rows.tsx'
import { columns } from './columns.tsx'
import { FilterChips } from './filter-chips.tsx'
import { HealthChips } from './health-chips.tsx'
import { channelsQueries, useChannels } from './queries.ts'
import { useChannelActions } from './use-channel-actions.ts'
import { useChannelBulk } from './use-channel-bulk.ts'
import { useTestRun } from './use-test-run.ts'

const loadTestDialog = async () => (await import('./test-dialog.tsx')).TestDialog

const loadBulkEdit = async () => (await import('./bulk-edit-dialog.tsx')).BulkEditDialog

const loadTestProgress = async () => (await import('./test-progress.tsx')).TestProgress

const DIALOGS = {
  route: async () => (await import('./route-dialog.tsx')).RouteDialog,
  export: async () => (await import('./export-dialog.tsx')).ExportDialog,
  import: async () => (await import('./import-dialog.tsx')).ImportDialog,
} as const

const NO_ROWS: readonly Channel[] = []
const BY_CHANNEL = ['channel'] as const
const worstFirst = (search: TableSearch) =>
  search.sort === null ? { ...search, ...WORST_FIRST } : search
const WORST_FIRST = { sort: 'health', order: 'desc' } as const

export function ChannelsPage() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { search: given, change } = useTableSearch()
  const search = useMemo(() => worstFirst(given), [given])
  const { filter, setFilter, clear, key } = useChannelFilter()
  const state = useChannels(search, filter)
  const { rows = NO_ROWS } = state
  const keys = useMemo(() => rows.map(({ id }) => String(id)), [rows])
  const run = useTestRun()
  const [tested, setTested] = useState<Channel | null>(null)
  const [edited, setEdited] = useState<readonly Channel[] | null>(null)
  const bulk = useChannelBulk(setEdited)
  const closeEdit = () => setEdited(null)
  const [dialog, setDialog] = useState<ChannelsDialog | null>(null)
  const closeDialog = () => setDialog(null)
  const closeTest = () => setTested(null)
  return (
    <ChannelRows rows={rows}>
      <Margins by={BY_CHANNEL} span={marginSpan(nowSeconds())} keys={keys}>
        <ListPage
          title={t('channelTitle.list')}
          label={t('channel.list.label')}
          columns={columns}
          state={state}
          search={search}
          onSearch={change}
          rowId={({ id }) => String(id)}
          rowName={({ name }) => name}
          actions={useChannelActions(setTested)}
          bulk={bulk}
          onOpen={({ id }) => void navigate(`/channel/${id}`)}
          filter={{
            key,
            onClear: clear,
            chips: <FilterChips keyword={search.keyword} filter={filter} onChange={setFilter} />,
          }}
          tools={<AllChannelsActions onTest={run.start} onOpen={setDialog} />}
          add={{ label: t('channel.list.add'), to: '/channel/add' }}
          emptyTitle={t('channel.list.emptyTitle')}
          emptyBody={t('channel.list.emptyBody')}
          emptyAction={
            <Button variant="default" onClick={() => setDialog('import')}>
              {t('channel.bulk.import')}
            </Button>
          }
        >
          <HealthChips
            keyword={search.keyword}
            filter={filter}
            onChange={(health) => setFilter({ health })}
          />
          <BalanceNotice />
          <MarginsFailure />
          {run.progress && (
            <LazyPart
              name={t('channel.bulk.progress')}
              load={loadTestProgress}
              props={{ progress: run.progress, onDismiss: run.dismiss }}
              onFail={run.dismiss}
            />
          )}
          {dialog && (
            <LazyPart
              key={dialog}
              name={t(`channel.bulk.${dialog}`)}
              load={DIALOGS[dialog]}
              props={{ onClose: closeDialog }}
              onFail={closeDialog}
            />
          )}
          {edited && (
            <LazyPart
              name={t('channel.bulk.edit')}
              load={loadBulkEdit}
              props={{ channels: edited, onApply: bulk.run, onClose: closeEdit }}
              onFail={closeEdit}
            />
          )}
          {tested && (
            <LazyPart
              name={t('channel.action.test')}
              load={loadTestDialog}
              props={{ channel: tested, onClose: closeTest }}
              onFail={closeTest}
            />
          )}
        </ListPage>
      </Margins>
    </ChannelRows>
  )
}

ChannelsPage.asks = (ask: Ask, params: URLSearchParams) => {
  const search = worstFirst(parseTableSearch(params))
  const { list, summary } = channelsQueries(search, parseChannelFilter(params))
  ask(list)
  ask(summary)
  ask(managedQuery)
}
