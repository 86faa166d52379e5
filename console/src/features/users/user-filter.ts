import { USER_ACTIVITIES, USER_PROVIDERS, USER_ROLES, USER_STATES } from '@tollgate/contract'
import { oneOf } from '../../lib/table-search.ts'
import { useUrlFilter } from '../../lib/use-url-filter.ts'

const AMOUNT = /^\d{1,15}$/

/** Invalid values in the URL count as no filter. Amounts are in quota units. */
export function parseUserFilter(params: URLSearchParams) {
  const amount = (name: string) => {
    const text = params.get(name) ?? ''
    return AMOUNT.test(text) ? text : ''
  }
  return {
    role: oneOf(USER_ROLES, params.get('role')) ?? '',
    status: oneOf(USER_STATES, params.get('status')) ?? '',
    group: params.get('group') ?? '',
    active: oneOf(USER_ACTIVITIES, params.get('active')) ?? '',
    provider: oneOf(USER_PROVIDERS, params.get('provider')) ?? '',
    quota_min: amount('quota_min'),
    quota_max: amount('quota_max'),
    inviter_id: amount('inviter_id'),
  } as const
}

export type UserFilter = ReturnType<typeof parseUserFilter>

export const useUserFilter = () => useUrlFilter(parseUserFilter)
