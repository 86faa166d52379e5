import { Button } from '@mantine/core'
import { Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { canManage } from '@tollgate/contract'
import { useSession } from '../../lib/session.ts'
import { useTableSearch } from '../../lib/use-table-search.ts'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { ListActions } from '../../ui/data-table/list-actions.tsx'
import { totalText } from '../../ui/data-table/pager.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { columns } from './columns.tsx'
import { useUsers } from './queries.ts'
import { useUserActions } from './use-user-actions.ts'

export function UsersPage() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const actor = useSession()
  const { search, change } = useTableSearch()
  const state = useUsers(search)
  const actions = useUserActions()
  const add = (
    <Button component={Link} to="/user/add" leftSection={<Plus size={14} aria-hidden />}>
      {t('user.list.add')}
    </Button>
  )
  return (
    <Page
      title={t('userTitle.list')}
      width="table"
      {...(state.total && { count: totalText(state.total) })}
      actions={
        <ListActions columns={columns} search={search} onSearch={change}>
          {add}
        </ListActions>
      }
    >
      <DataTable
        label={t('user.list.label')}
        columns={columns}
        state={state}
        search={search}
        onSearch={change}
        rowId={(user) => String(user.id)}
        rowName={(user) => user.username}
        actions={actions}
        onOpen={(user) => {
          if (actor && canManage(actor, user)) void navigate(`/user/edit/${user.id}`)
        }}
        isFiltered={search.keyword !== ''}
        onClearFilters={() => change({ keyword: '' })}
        empty={
          <Empty title={t('user.list.emptyTitle')} body={t('user.list.emptyBody')} action={add} />
        }
      />
    </Page>
  )
}
