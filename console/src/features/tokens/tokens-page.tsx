import { Button } from '@mantine/core'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { useServerAddress } from '../../lib/status.ts'
import { useTableSearch } from '../../lib/use-table-search.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { ListActions } from '../../ui/data-table/list-actions.tsx'
import { totalText } from '../../ui/data-table/pager.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { columns } from './columns.tsx'
import { ManualCopy } from './key-cell.tsx'
import { useTokens } from './queries.ts'
import classes from './tokens.module.css'
import { useTokenActions } from './use-token-actions.ts'

export function TokensPage() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { search, change } = useTableSearch()
  const [uncopied, setUncopied] = useState<string>()
  const address = useServerAddress()
  const state = useTokens(search)
  const actions = useTokenActions()
  const add = (
    <Button component={Link} to="/token/add" leftSection={<Plus size={14} aria-hidden />}>
      {t('token.list.add')}
    </Button>
  )
  return (
    <Page
      title={t('tokenTitle.list')}
      width="table"
      {...(state.total && { count: totalText(state.total) })}
      actions={
        <ListActions
          columns={columns}
          search={search}
          onSearch={change}
          {...(uncopied !== undefined && { manualCopy: uncopied })}
        >
          {add}
        </ListActions>
      }
    >
      <p className={classes['hint']}>
        {t('token.list.addressHint')}
        <Copyable text={`${address}/v1`} label={t('token.list.address')} />
      </p>
      <ManualCopy value={setUncopied}>
        <DataTable
          label={t('token.list.label')}
          columns={columns}
          state={state}
          search={search}
          onSearch={change}
          rowId={(token) => String(token.id)}
          rowName={(token) => token.name}
          actions={actions}
          onOpen={(token) => void navigate(`/token/edit/${token.id}`)}
          isFiltered={search.keyword !== ''}
          onClearFilters={() => change({ keyword: '' })}
          empty={
            <Empty
              title={t('token.list.emptyTitle')}
              body={t('token.list.emptyBody')}
              action={add}
            />
          }
        />
      </ManualCopy>
    </Page>
  )
}
