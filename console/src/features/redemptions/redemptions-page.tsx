import { Button } from '@mantine/core'
import { useState } from 'react'
import { REDEMPTION_STATUS } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { useNavigate } from '../../lib/router/router.tsx'
import { useTableSearch } from '../../lib/use-table-search.ts'
import { ListPage, useUncopied } from '../../ui/data-table/list-page.tsx'
import { LazyPart } from '../../ui/lazy-part.tsx'
import { columns } from './columns.tsx'
import { FilterChips } from './filter-chips.tsx'
import { useRedemptions } from './queries.ts'
import { useRedemptionFilter } from './redemption-filter.ts'
import { labelOf } from './redemption-values.ts'
import { useRedemptionActions, useRedemptionBulk } from './use-redemption-actions.ts'

const loadBatches = async () => (await import('./batches-dialog.tsx')).BatchesDialog

export function RedemptionsPage() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { search, change } = useTableSearch()
  const uncopied = useUncopied()
  const { filter, setFilter, clear, key } = useRedemptionFilter()
  const [isListing, setIsListing] = useState(false)
  const close = () => setIsListing(false)
  return (
    <ListPage
      title={t('redemptionTitle.list')}
      label={t('redemption.list.label')}
      columns={columns}
      state={useRedemptions(search, filter)}
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
      filter={{
        key,
        onClear: clear,
        chips: <FilterChips filter={filter} onChange={setFilter} />,
      }}
      tools={
        <Button variant="default" onClick={() => setIsListing(true)}>
          {t('redemption.list.batches')}
        </Button>
      }
    >
      {isListing && (
        <LazyPart
          name={t('redemption.list.batches')}
          load={loadBatches}
          props={{ onClose: close }}
          onFail={close}
        />
      )}
    </ListPage>
  )
}
