import { Button } from '@mantine/core'
import type { CatalogModel } from '@tollgate/contract'
import { useTranslation } from '../../i18n/use-translation.ts'
import { catalogQuery } from '../../lib/catalog.ts'
import { copyText } from '../../lib/clipboard.ts'
import type { Ask } from '../../lib/feature.ts'
import { Link, useNavigate } from '../../lib/router/router.tsx'
import { useIsAdmin, useSession } from '../../lib/session.ts'
import { modelCommand } from '../../lib/snippets/model-code.ts'
import { useServerAddress } from '../../lib/status.ts'
import { useTableSearch } from '../../lib/use-table-search.ts'
import type { RowAction } from '../../ui/data-table/column.ts'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { ListActions } from '../../ui/data-table/list-actions.tsx'
import { totalText } from '../../ui/data-table/pager.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { NO_FILTER, useCatalogFilter } from './catalog-filter.ts'
import classes from './catalog.module.css'
import { canTry } from './cells.tsx'
import { columns } from './columns.tsx'
import { FilterChips } from './filter-chips.tsx'
import { ModelDetail } from './model-detail.tsx'
import { useCatalogRows } from './use-catalog-rows.ts'

export function CatalogPage() {
  const { t } = useTranslation()
  const { search, change } = useTableSearch()
  const { filter, setFilter } = useCatalogFilter()
  const { state, vendors } = useCatalogRows(search, filter)
  const filterKey = Object.values(filter).join(' ').trim()
  const isSignedIn = useSession() !== null
  return (
    <Page
      title={t('catalogTitle.nav')}
      width="table"
      fitsWindow
      {...(state.total && { count: totalText(state.total) })}
      actions={
        <ListActions
          columns={columns}
          search={search}
          onSearch={change}
          filters={<FilterChips filter={filter} vendors={vendors} onChange={setFilter} />}
        >
          {null}
        </ListActions>
      }
    >
      <p className={classes['intro']}>
        {t(isSignedIn ? 'catalog.list.perMillion' : 'catalog.list.perMillionVisitor')}
      </p>
      <DataTable
        label={t('catalog.list.label')}
        columns={columns}
        state={state}
        search={search}
        onSearch={change}
        rowId={({ id }) => id}
        rowName={({ id }) => id}
        actions={useModelActions()}
        detail={(model) => <ModelDetail model={model} />}
        isFiltered={search.keyword !== '' || filterKey !== ''}
        filterKey={filterKey}
        onClearFilters={() => setFilter({ ...NO_FILTER, keyword: '' })}
        empty={<NoModels />}
      />
    </Page>
  )
}

CatalogPage.asks = (ask: Ask) => ask(catalogQuery(true))

function useModelActions(): (model: CatalogModel) => RowAction[] {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const isSignedIn = useSession() !== null
  const address = useServerAddress()
  return (model) => [
    ...(isSignedIn && canTry(model)
      ? [
          {
            label: t('catalog.action.try'),
            onSelect: () => void navigate(`/play?model=${encodeURIComponent(model.id)}`),
          },
        ]
      : []),
    {
      label: t('catalog.action.copyCode'),
      onSelect: () => void copyText(modelCommand(model, { address, key: 'sk-…' })),
    },
    { label: t('catalog.action.copyName'), onSelect: () => void copyText(model.id) },
  ]
}

function NoModels() {
  const { t } = useTranslation()
  const isAdmin = useIsAdmin()
  return (
    <Empty
      title={t('catalog.list.emptyTitle')}
      body={t(isAdmin ? 'catalog.list.emptyAdmin' : 'catalog.list.emptyBody')}
      action={
        isAdmin && (
          <Button component={Link} to="/channel/add">
            {t('catalog.list.addChannel')}
          </Button>
        )
      }
    />
  )
}
