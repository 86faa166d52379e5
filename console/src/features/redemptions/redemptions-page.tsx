import { Button } from '@mantine/core'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { REDEMPTION_STATUS } from '@tollgate/contract'
import { useTableSearch } from '../../lib/use-table-search.ts'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { ListActions } from '../../ui/data-table/list-actions.tsx'
import { totalText } from '../../ui/data-table/pager.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { ManualCopy } from './code-cell.tsx'
import { columns } from './columns.tsx'
import { useRedemptions } from './queries.ts'
import { labelOf } from './redemption-values.ts'
import { useRedemptionActions } from './use-redemption-actions.ts'

export function RedemptionsPage() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { search, change } = useTableSearch()
  const [uncopied, setUncopied] = useState<string>()
  const state = useRedemptions(search)
  const actions = useRedemptionActions(setUncopied)
  const add = (
    <Button component={Link} to="/redemption/add" leftSection={<Plus size={14} aria-hidden />}>
      {t('redemption.list.add')}
    </Button>
  )
  return (
    <Page
      title={t('redemptionTitle.list')}
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
      <ManualCopy value={setUncopied}>
        <DataTable
          label={t('redemption.list.label')}
          columns={columns}
          state={state}
          search={search}
          onSearch={change}
          rowId={({ id }) => String(id)}
          rowName={labelOf}
          actions={actions}
          onOpen={({ id, status }) => {
            if (status !== REDEMPTION_STATUS.used) void navigate(`/redemption/edit/${id}`)
          }}
          isFiltered={search.keyword !== ''}
          onClearFilters={() => change({ keyword: '' })}
          empty={
            <Empty
              title={t('redemption.list.emptyTitle')}
              body={t('redemption.list.emptyBody')}
              action={add}
            />
          }
        />
      </ManualCopy>
    </Page>
  )
}
