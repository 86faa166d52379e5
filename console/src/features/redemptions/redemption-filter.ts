import { REDEMPTION_EXPIRIES, REDEMPTION_STATES } from '@tollgate/contract'
import { oneOf } from '../../lib/table-search.ts'
import { useUrlFilter } from '../../lib/use-url-filter.ts'

/** Invalid values in the URL count as no filter. */
export const parseRedemptionFilter = (params: URLSearchParams) =>
  ({
    batch: params.get('batch') ?? '',
    state: oneOf(REDEMPTION_STATES, params.get('state')) ?? '',
    expiry: oneOf(REDEMPTION_EXPIRIES, params.get('expiry')) ?? '',
  }) as const

export type RedemptionFilter = ReturnType<typeof parseRedemptionFilter>

export const useRedemptionFilter = () => useUrlFilter(parseRedemptionFilter)
