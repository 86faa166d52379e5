import { useMemo } from 'react'
import { CHANNEL_STATUS, HEALTH_WORDS, type HealthWord } from '@tollgate/contract'
import { useSearchParams } from '../../lib/router/router.tsx'

/** List filters as spelled in the URL and by the server; empty means no filter. */
export type ChannelFilter = {
  status: string
  type: string
  health: HealthWord | ''
  group: string
  model: string
}

const NO_FILTER: ChannelFilter = { status: '', type: '', health: '', group: '', model: '' }

const { enabled, disabled, autoDisabled } = CHANNEL_STATUS

export const STATUS_CHOICES = {
  enabled: String(enabled),
  notEnabled: `${disabled},${autoDisabled}`,
  disabled: String(disabled),
  autoDisabled: String(autoDisabled),
} as const

/** Invalid values in the URL count as no filter. */
export function parseChannelFilter(params: URLSearchParams): ChannelFilter {
  const status = params.get('status') ?? ''
  const type = params.get('type') ?? ''
  const health = HEALTH_WORDS.find((word) => word === params.get('health')) ?? ''
  return {
    status: Object.values<string>(STATUS_CHOICES).includes(status) ? status : '',
    type: /^\d{1,9}$/.test(type) ? type : '',
    health,
    group: params.get('group') ?? '',
    model: params.get('model') ?? '',
  }
}

export function withChannelFilter(params: URLSearchParams, change: Partial<ChannelFilter>) {
  const next = new URLSearchParams(params)
  for (const [name, value] of Object.entries(change)) {
    if (value === '') next.delete(name)
    else next.set(name, value)
  }
  next.delete('p')
  return next
}

export function useChannelFilter() {
  const [params, setParams] = useSearchParams()
  const filter = useMemo(() => parseChannelFilter(params), [params])
  const setFilter = (change: Partial<ChannelFilter>) =>
    setParams((current) => withChannelFilter(current, change), { replace: true })
  const clear = () =>
    setParams(
      (current) => {
        const next = withChannelFilter(current, NO_FILTER)
        next.delete('keyword')
        return next
      },
      { replace: true },
    )
  return { filter, setFilter, clear }
}
