import { CHANNEL_STATUS, HEALTH_WORDS, type HealthWord } from '@tollgate/contract'
import { useUrlFilter } from '../../lib/use-url-filter.ts'

/** List filters as spelled in the URL and by the server; empty means no filter. */
export type ChannelFilter = {
  status: string
  type: string
  health: HealthWord | ''
  group: string
  tag: string
  model: string
}

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
    tag: params.get('tag') ?? '',
    model: params.get('model') ?? '',
  }
}

export const useChannelFilter = () => useUrlFilter(parseChannelFilter)
