import { useMemo } from 'react'
import type { CatalogModel } from '@tollgate/contract'
import { useSearchParams } from '../../lib/router/router.tsx'
import { vendorName } from './vendor-names.messages.ts'

/** As spelled in the URL; empty means no filter. */
export type CatalogFilter = { vendor: string; api: string; reads: string }

const NAMES = ['vendor', 'api', 'reads'] as const

export const NO_FILTER: CatalogFilter = { vendor: '', api: '', reads: '' }

/** Every word of the keyword must occur in the name or the vendor. */
export function matches(model: CatalogModel, filter: CatalogFilter, keyword: string): boolean {
  const text = `${model.id} ${model.vendor} ${vendorName(model.vendor)}`.toLowerCase()
  const words = keyword.toLowerCase().split(/\s+/)
  return (
    words.every((word) => text.includes(word)) &&
    (filter.vendor === '' || model.vendor === filter.vendor) &&
    (filter.api === '' || model.api === filter.api) &&
    (filter.reads === '' || model.inputs.some((input) => input === filter.reads))
  )
}

export function useCatalogFilter() {
  const [params, setParams] = useSearchParams()
  const filter = useMemo((): CatalogFilter => {
    const [vendor = '', api = '', reads = ''] = NAMES.map((name) => params.get(name) ?? '')
    return { vendor, api, reads }
  }, [params])
  const setFilter = (change: Partial<CatalogFilter> & { keyword?: '' }) =>
    setParams(
      (current) => {
        const next = new URLSearchParams(current)
        for (const [name, value] of Object.entries(change)) {
          if (value === '') next.delete(name)
          else next.set(name, value)
        }
        next.delete('p')
        return next
      },
      { replace: true },
    )
  return { filter, setFilter }
}
