import { useMemo } from 'react'
import { useSearchParams } from './router/router.tsx'
import { parseTableSearch, type TableSearch, withTableSearch } from './table-search.ts'

export function useTableSearch() {
  const [params, setParams] = useSearchParams()
  const search = useMemo(() => parseTableSearch(params), [params])
  const change = (part: Partial<TableSearch>) =>
    setParams((current) => withTableSearch(current, part), { replace: part.p === undefined })
  return { search, change }
}
