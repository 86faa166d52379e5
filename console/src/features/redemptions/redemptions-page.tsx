import { REDEMPTION_STATUS } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { useNavigate } from '../../lib/router/router.tsx'
import { useTableSearch } from '../../lib/use-table-search.ts'
import { ListPage, useUncopied } from '../../ui/data-table/list-page.tsx'
import { columns } from './columns.tsx'
import { useRedemptions } from './queries.ts'
import { labelOf } from './redemption-values.ts'
import { useRedemptionActions, useRedemptionBulk } from './use-redemption-actions.ts'

export function RedemptionsPage() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { search, change } = useTableSearch()
  const uncopied = useUncopied()
  return (
    <ListPage
      title={t('redemptionTitle.list')}
      label={t('redemption.list.label')}
      columns={columns}
      state={useRedemptions(search)}
      search={search}
      onSearch={change}
      rowId={({ id }) => String(id)}
      rowName={labelOf}
      actions={useRedemptionActions(uncopied.set)}
      bulk={useRedemptionBulk(uncopied.set)}
      onOpen={({ id, status }) => {
        if (status !== REDEMPTION_STATUS.used) void navigate(`/redemption/edit/${id}`)
      }}
      uncopied={uncopied}
      add={{ label: t('redemption.list.add'), to: '/redemption/add' }}
      emptyTitle={t('redemption.list.emptyTitle')}
      emptyBody={t('redemption.list.emptyBody')}
    />
  )
}
