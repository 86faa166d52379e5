import { Button } from '@mantine/core'
import { Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { useTableSearch } from '../../lib/use-table-search.ts'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { ListActions } from '../../ui/data-table/list-actions.tsx'
import { totalText } from '../../ui/data-table/pager.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { columns } from './columns.tsx'
import { useChannels } from './queries.ts'
import { useChannelActions } from './use-channel-actions.ts'

export function ChannelsPage() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { search, change } = useTableSearch()
  const state = useChannels(search)
  const actions = useChannelActions()
  const add = (
    <Button component={Link} to="/channel/add" leftSection={<Plus size={14} aria-hidden />}>
      {t('channel.list.add')}
    </Button>
  )
  return (
    <Page
      title={t('channelTitle.list')}
      width="table"
      {...(state.total && { count: totalText(state.total) })}
      actions={
        <ListActions columns={columns} search={search} onSearch={change}>
          {add}
        </ListActions>
      }
    >
      <DataTable
        label={t('channel.list.label')}
        columns={columns}
        state={state}
        search={search}
        onSearch={change}
        rowId={(channel) => String(channel.id)}
        rowName={(channel) => channel.name}
        actions={actions}
        onOpen={(channel) => void navigate(`/channel/edit/${channel.id}`)}
        isFiltered={search.keyword !== ''}
        onClearFilters={() => change({ keyword: '' })}
        empty={
          <Empty
            title={t('channel.list.emptyTitle')}
            body={t('channel.list.emptyBody')}
            action={add}
          />
        }
      />
    </Page>
  )
}
