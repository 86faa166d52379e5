import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { CHANNEL_STATUS } from '@tollgate/contract'

/** What the list is narrowed by, as the address and the server spell it; empty for all. */
export type ChannelFilter = { status: string; type: string }

const { enabled, disabled, autoDisabled } = CHANNEL_STATUS

/** The choices of the status filter, by the name of their text. */
export const STATUS_CHOICES = {
  enabled: String(enabled),
  notEnabled: `${disabled},${autoDisabled}`,
  disabled: String(disabled),
  autoDisabled: String(autoDisabled),
} as const

/** Anything unreadable in the address counts as no filter. */
export function parseChannelFilter(params: URLSearchParams): ChannelFilter {
  const status = params.get('status') ?? ''
  const type = params.get('type') ?? ''
  return {
    status: Object.values<string>(STATUS_CHOICES).includes(status) ? status : '',
    type: /^\d{1,9}$/.test(type) ? type : '',
  }
}

/** The address with another filter; it begins at its first page. */
export function withChannelFilter(params: URLSearchParams, change: Partial<ChannelFilter>) {
  const next = new URLSearchParams(params)
  for (const [name, value] of Object.entries(change)) {
    if (value === '') next.delete(name)
    else next.set(name, value)
  }
  next.delete('p')
  return next
}

/** The filter of the current address, how to change it, and how to clear it with the keyword. */
export function useChannelFilter() {
  const [params, setParams] = useSearchParams()
  const filter = useMemo(() => parseChannelFilter(params), [params])
  const setFilter = (change: Partial<ChannelFilter>) =>
    setParams((current) => withChannelFilter(current, change), { replace: true })
  const clear = () =>
    setParams(
      (current) => {
        const next = withChannelFilter(current, { status: '', type: '' })
        next.delete('keyword')
        return next
      },
      { replace: true },
    )
  return { filter, setFilter, clear }
}
