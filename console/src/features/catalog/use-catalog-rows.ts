import { useMemo } from 'react'
import type { CatalogModel } from '@tollgate/contract'
import { useCatalog } from '../../lib/catalog.ts'
import { errorText } from '../../lib/report-error.ts'
import { pageOf, type TableSearch } from '../../lib/table-search.ts'
import type { RowsState } from '../../ui/data-table/rows-state.ts'
import { type CatalogFilter, matches } from './catalog-filter.ts'

const UNKNOWN = -1

/** Rows without a value sort below the others. */
function valueOf(model: CatalogModel, column: string): string | number {
  const { price } = model
  const perToken = price?.unit === 'token' ? price : null
  switch (column) {
    case 'vendor':
      return model.vendor
    case 'api':
      return model.api
    case 'input':
      return perToken?.input ?? UNKNOWN
    case 'cached':
      return perToken?.cached ?? UNKNOWN
    case 'output':
      return perToken?.output ?? UNKNOWN
    case 'context':
      return model.context_tokens ?? UNKNOWN
    case 'success':
      return model.requests === 0 ? UNKNOWN : 1 - model.failures / model.requests
    case 'firstToken':
      return model.first_token ?? UNKNOWN
    case 'shutdown':
      return model.shutdown ?? ''
    default:
      return model.id
  }
}

/** The catalog is read as a whole, so it is searched, sorted and paged here. */
export function useCatalogRows(search: TableSearch, filter: CatalogFilter) {
  const { data, error, refetch } = useCatalog()
  const found = useMemo(
    () => data?.filter((model) => matches(model, filter, search.keyword)),
    [data, filter, search.keyword],
  )
  const state: RowsState<CatalogModel> = {
    rows: found && pageOf(found, search, valueOf),
    total: found ? { count: found.length, more: false } : null,
    error: error === null || data ? null : errorText(error),
    isStale: false,
    retry: () => void refetch(),
    readAll: async ({ onRows }) => {
      onRows(pageOf(found ?? [], { ...search, p: 0, size: found?.length ?? 0 }, valueOf))
      return { isCut: false }
    },
  }
  const vendors = [...new Set(data?.map(({ vendor }) => vendor))].filter((name) => name !== '')
  return { state, vendors: vendors.toSorted() }
}
