import { useMemo } from 'react'
import { useSearchParams } from '../lib/router/router.tsx'

/** List filters as spelled in the URL; an empty text means no filter. */
export type UrlFilter = Readonly<Record<string, string>>

/** The address with a changed filter, at the first page. */
export function withFilter(params: URLSearchParams, change: Partial<UrlFilter>): URLSearchParams {
  const next = new URLSearchParams(params)
  for (const [name, value = ''] of Object.entries(change)) {
    if (value === '') next.delete(name)
    else next.set(name, value)
  }
  next.delete('p')
  return next
}

/** `parse` must be stable, and treats invalid values as no filter. */
export function useUrlFilter<Filter extends UrlFilter>(parse: (params: URLSearchParams) => Filter) {
  const [params, setParams] = useSearchParams()
  const filter = useMemo(() => parse(params), [parse, params])
  const setFilter = (change: Partial<Filter>) =>
    setParams((current) => withFilter(current, change), { replace: true })
  const clear = () =>
    setParams(
      (current) => {
        const next = new URLSearchParams(current)
        for (const name of [...Object.keys(filter), 'keyword', 'p']) next.delete(name)
        return next
      },
      { replace: true },
    )
  return { filter, setFilter, clear, key: Object.values(filter).join(' ').trim() }
}
