import { type ComponentProps, createContext, type ReactNode, use, useState } from 'react'
import type { TableSearch } from '../../lib/table-search.ts'
import { Empty } from '../empty.tsx'
import { Page } from '../page.tsx'
import { AddButton, type Adding } from './add-button.tsx'
import { DataTable } from './data-table.tsx'
import { ListActions } from './list-actions.tsx'
import { totalText } from './pager.tsx'

type Uncopied = { text: string | undefined; set: (text: string | undefined) => void }

const ManualCopy = createContext<Uncopied['set']>(() => {})

/** Text the browser refused to copy, for the search field; see `copyText`. */
export function useUncopied(): Uncopied {
  const [text, set] = useState<string>()
  return { text, set }
}

export const useManualCopy = () => use(ManualCopy)

type Props<Row extends object> = Omit<
  ComponentProps<typeof DataTable<Row>>,
  'isFiltered' | 'filterKey' | 'onClearFilters' | 'empty'
> & {
  title: string
  /** The page's primary button, repeated in the empty state. Absent if rows are added elsewhere. */
  add?: Adding
  tools?: ReactNode
  /**
   * Filters besides the keyword; the key is empty without filters. Clearing must reset filters and
   * keyword.
   */
  filter?: { key: string; onClear: () => void; chips: ReactNode }
  emptyTitle: string
  emptyBody: string
  /** Next to the primary button of an empty list. */
  emptyAction?: ReactNode
  uncopied?: Uncopied
  children?: ReactNode
}

export function ListPage<Row extends object>(props: Props<Row>) {
  const { title, add, tools, filter, emptyTitle, emptyBody, emptyAction, ...others } = props
  const { uncopied, children, ...table } = others
  const { columns, state, search } = table
  const filterKey = filter?.key ?? ''
  const onSearch = (change: Partial<TableSearch>) => {
    if (change.keyword !== undefined) uncopied?.set(undefined)
    table.onSearch(change)
  }
  const isFiltered = search.keyword !== '' || filterKey !== ''
  const isEmpty = state.rows?.length === 0 && !isFiltered
  return (
    <Page
      title={title}
      width="table"
      fitsWindow
      {...(state.total && {
        count: totalText({ ...state.total, more: state.total.more || state.isCut === true }),
      })}
      actions={
        <ListActions
          columns={columns}
          search={search}
          onSearch={onSearch}
          filters={filter?.chips}
          {...(uncopied?.text !== undefined && { manualCopy: uncopied.text })}
        >
          {tools}
          {add && <AddButton {...add} isQuiet={isEmpty} />}
        </ListActions>
      }
    >
      {children}
      <ManualCopy value={uncopied?.set ?? (() => {})}>
        <DataTable
          {...table}
          onSearch={onSearch}
          isFiltered={isFiltered}
          filterKey={filterKey}
          onClearFilters={filter?.onClear ?? (() => onSearch({ keyword: '' }))}
          empty={
            <Empty
              title={emptyTitle}
              body={emptyBody}
              action={
                <>
                  {add && <AddButton {...add} />} {emptyAction}
                </>
              }
            />
          }
        />
      </ManualCopy>
    </Page>
  )
}
