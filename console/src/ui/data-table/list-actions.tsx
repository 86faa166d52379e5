import { type ReactNode, useState } from 'react'
import type { TableSearch } from '../../lib/table-search.ts'
import { SearchField } from '../search-field.tsx'
import type { Column } from './column.ts'
import { useHiddenColumns } from './use-hidden-columns.ts'
import { ViewMenu } from './view-menu.tsx'

type Props<Row> = {
  columns: readonly Column<Row>[]
  search: TableSearch
  onSearch: (change: Partial<TableSearch>) => void
  /** A text that could not be copied is put into the search field, to be copied from there. */
  manualCopy?: string
  /** What narrows the list besides the keyword. */
  filters?: ReactNode
  children: ReactNode
}

/** The row of a list page: search, filters, view, and the page's own buttons. */
export function ListActions<Row>(props: Props<Row>) {
  const { columns, search, onSearch, manualCopy, filters, children } = props
  const hidden = useHiddenColumns(columns, search)
  return (
    <>
      <KeywordField
        key={`${search.keyword}\n${manualCopy}`}
        initial={manualCopy ?? search.keyword}
        isSelected={manualCopy !== undefined}
        onSearch={(keyword) => onSearch({ keyword })}
      />
      {filters}
      <ViewMenu columns={columns} hidden={hidden} onChange={(ids) => onSearch({ hidden: ids })} />
      {children}
    </>
  )
}

type FieldProps = { initial: string; isSelected: boolean; onSearch: (keyword: string) => void }

function KeywordField({ initial, isSelected, onSearch }: FieldProps) {
  const [draft, setDraft] = useState(initial)
  // A key that stands here to be copied is no keyword and shall not get into the address.
  const search = (keyword: string) => {
    if (!isSelected || keyword !== initial) onSearch(keyword)
  }
  return <SearchField isSelected={isSelected} draft={draft} onDraft={setDraft} onSearch={search} />
}
