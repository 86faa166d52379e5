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
  /** Text that could not be copied, shown selected in the search field for manual copying. */
  manualCopy?: string
  filters?: ReactNode
  children: ReactNode
}

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
  // A key shown here for copying must not become a keyword in the URL.
  const search = (keyword: string) => {
    if (!isSelected || keyword !== initial) onSearch(keyword)
  }
  return <SearchField isSelected={isSelected} draft={draft} onDraft={setDraft} onSearch={search} />
}
