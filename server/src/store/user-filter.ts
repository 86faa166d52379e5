import type { SelectQueryBuilder } from 'kysely'
import { ROLE, type Seconds, USER_STATUS, type UserFilter } from '@tollgate/contract'
import { hasMember } from './like-prefix.ts'
import type { Schema } from './schema.ts'

const SECONDS_PER_HOUR = 3600
const DAYS = { day: 1, week: 7, month: 30, idle: 30 } as const

/** Columns of the services that a user can log in with. */
const IDENTITIES = {
  github: 'github_id',
  wechat: 'wechat_id',
  lark: 'lark_id',
  oidc: 'oidc_id',
} as const

export const isFiltering = (filter: UserFilter): boolean =>
  Object.values(filter).some((value) => value !== '' && value !== undefined)

/** The users that match; the keyword is the caller's. */
export function matching<Row>(
  query: SelectQueryBuilder<Schema, 'users', Row>,
  { filter, now }: { filter: UserFilter; now: Seconds },
): SelectQueryBuilder<Schema, 'users', Row> {
  const { role, status, group, quota_min = null, quota_max = null, provider } = filter
  let found = query
  if (role !== '') found = found.where('role', '=', ROLE[role])
  if (status !== '') found = found.where('status', '=', USER_STATUS[status])
  if (group !== '') found = found.where(hasMember('group', group))
  if (quota_min !== null) found = found.where('quota', '>=', quota_min)
  if (quota_max !== null) found = found.where('quota', '<=', quota_max)
  if (filter.inviter_id !== undefined) found = found.where('inviter_id', '=', filter.inviter_id)
  if (provider === 'none') {
    for (const column of Object.values(IDENTITIES)) found = found.where(column, '=', '')
  } else if (provider !== '') found = found.where(IDENTITIES[provider], '<>', '')
  return activeAs(found, { active: filter.active, now })
}

/** The hourly sums lead to the last request; its hour began at most an hour before. */
function activeAs<Row>(
  query: SelectQueryBuilder<Schema, 'users', Row>,
  { active, now }: { active: UserFilter['active']; now: Seconds },
): SelectQueryBuilder<Schema, 'users', Row> {
  if (active === '') return query
  if (active === 'never') return query.where('request_count', '=', 0)
  const firstHour = Math.floor(now / SECONDS_PER_HOUR) - DAYS[active] * 24
  return query.where((eb) => {
    const recent = eb.exists(
      eb
        .selectFrom('user_hours')
        .select(eb.lit(1).as('one'))
        .whereRef('user_hours.user_id', '=', 'users.id')
        .where('user_hours.hour', '>=', firstHour),
    )
    return active === 'idle' ? eb.and([eb('request_count', '>', 0), eb.not(recent)]) : recent
  })
}
