export const PAGE_SIZES = [10, 20, 50, 100] as const
const SIZE_DEFAULT = 50

export type SortOrder = 'asc' | 'desc'

/** List state from the URL. `hidden` is null until the user chooses columns. */
export type TableSearch = {
  p: number
  size: number
  sort: string | null
  order: SortOrder
  keyword: string
  hidden: readonly string[] | null
}

export function parseTableSearch(search: URLSearchParams): TableSearch {
  const p = Number(search.get('p') ?? 0)
  const size = Number(search.get('size') ?? SIZE_DEFAULT)
  const hidden = search.get('hide')
  return {
    p: Number.isSafeInteger(p) && p >= 0 ? p : 0,
    size: PAGE_SIZES.find((known) => known === size) ?? SIZE_DEFAULT,
    sort: search.get('sort'),
    order: search.get('order') === 'asc' ? 'asc' : 'desc',
    keyword: (search.get('keyword') ?? '').trim(),
    hidden: hidden === null ? null : hidden.split(',').filter((id) => id !== ''),
  }
}

/** Applies a change to the URL. Everything except a page or column change resets to page 0. */
export function withTableSearch(
  search: URLSearchParams,
  change: Partial<TableSearch>,
): URLSearchParams {
  const next = new URLSearchParams(search)
  const set = (name: string, value: string | null) =>
    value === null || value === '' ? next.delete(name) : next.set(name, value)
  if (change.size !== undefined) {
    set('size', change.size === SIZE_DEFAULT ? null : String(change.size))
  }
  if (change.sort !== undefined) set('sort', change.sort)
  if (change.order !== undefined) set('order', change.order === 'desc' ? null : change.order)
  if (change.keyword !== undefined) set('keyword', change.keyword.trim())
  if (change.hidden !== undefined) {
    if (change.hidden === null) next.delete('hide')
    else next.set('hide', change.hidden.join(','))
  }
  if (change.p !== undefined) set('p', change.p === 0 ? null : String(change.p))
  else if (change.hidden === undefined) next.delete('p')
  return next
}

export function nextSort(
  current: Pick<TableSearch, 'sort' | 'order'>,
  column: string,
): { sort: string; order: SortOrder } {
  if (current.sort !== column) return { sort: column, order: 'asc' }
  return { sort: column, order: current.order === 'asc' ? 'desc' : 'asc' }
}

/** Sorts and pages rows on the client, because search endpoints are not paged. */
export function pageOf<Row>(
  rows: readonly Row[],
  { p, size, sort, order }: Pick<TableSearch, 'p' | 'size' | 'sort' | 'order'>,
  value: (row: Row, column: string) => string | number | boolean | undefined,
): Row[] {
  const sorted =
    sort === null ? [...rows] : rows.toSorted((a, b) => compare(value(a, sort), value(b, sort)))
  if (sort !== null && order === 'desc') sorted.reverse()
  return sorted.slice(p * size, (p + 1) * size)
}

function compare(a: string | number | boolean | undefined, b: typeof a): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return String(a ?? '').localeCompare(String(b ?? ''))
}

export function oneOf<const Known extends string>(
  known: readonly Known[],
  value: string | null,
): Known | undefined {
  return known.find((candidate) => candidate === value)
}
