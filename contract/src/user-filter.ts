import { z } from 'zod'
import { keywordQuery } from './endpoint.ts'
import { idText, QUOTA_MAX } from './units.ts'

export const USER_ACTIVITIES = ['day', 'week', 'month', 'idle', 'never'] as const
export const USER_PROVIDERS = ['none', 'github', 'wechat', 'lark', 'oidc'] as const
export const USER_ROLES = ['user', 'admin', 'root'] as const
export const USER_STATES = ['enabled', 'disabled'] as const

/** Absent or empty for any. */
const choice = <const Values extends readonly string[]>(values: Values) =>
  z
    .enum(['', ...values])
    .meta({ examples: [values[0]] })
    .default('')

const amount = z.coerce.number().int().min(0).max(QUOTA_MAX).optional()

/** Filters of the list of users. A filter that is left out matches every user. */
export const userFilterFields = {
  /** As `searchUsers` finds users. */
  keyword: keywordQuery.shape.keyword,
  role: choice(USER_ROLES),
  status: choice(USER_STATES),
  /** One of the user's groups. */
  group: z.string().max(100).default(''),
  quota_min: amount,
  quota_max: amount,
  /**
   * The last request was within a day, a week or 30 days; `idle` means longer ago than 30 days, and
   * `never` no request yet.
   */
  active: choice(USER_ACTIVITIES),
  /** The service the user can log in with; `none` for none of them. */
  provider: choice(USER_PROVIDERS),
  /** The user who invited them. */
  inviter_id: idText.optional(),
}

const filter = z.object(userFilterFields)

export type UserFilter = z.output<typeof filter>
