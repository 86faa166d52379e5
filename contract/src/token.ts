import { z } from 'zod'
import { endpoint, idParams, keywordQuery, pageQuery, statusOnly } from './endpoint.ts'
import { rule } from './problem.ts'
import {
  BUDGET_PERIODS,
  id,
  quota,
  repeatId,
  seconds,
  SEEN_QUOTA_RULE,
  hasSeenQuota,
} from './units.ts'

export const TOKEN_STATUS = { enabled: 1, disabled: 2, expired: 3, exhausted: 4 } as const

/** Per user; administrators have no limit. */
export const TOKENS_PER_USER_MAX = 1000

/** `expired_time` of a token that never expires. */
export const NEVER = -1

/** Empty means no budget. Periods are in UTC; weeks begin on Monday. */
const budgetPeriod = z.enum(['', ...BUDGET_PERIODS])

const expiry = z.union([z.literal(NEVER), seconds])

export const tokenSchema = z.object({
  id,
  user_id: id,
  /** 48 characters, without the `sk-` prefix that clients add. */
  key: z.string(),
  status: z.int(),
  name: z.string(),
  created_time: seconds,
  accessed_time: seconds,
  expired_time: expiry,
  remain_quota: quota,
  /** Leased for running requests; part of `remain_quota`. */
  quota_leased: quota,
  unlimited_quota: z.boolean(),
  used_quota: quota,
  /** Budget per period; ignored without a period. */
  budget_quota: quota,
  budget_period: budgetPeriod,
  /** Remaining in the current period; 0 without a budget. */
  budget_left: quota,
  /** Start of the next period; 0 without a budget. */
  budget_reset_time: seconds,
  /** Comma-separated model names; empty allows all. */
  models: z.string(),
  /** Comma-separated CIDR ranges; empty allows all. */
  subnet: z.string(),
})

export type Token = z.output<typeof tokenSchema>

const name = z
  .string()
  .refine(
    (text) => [...text].length <= 30,
    rule('must have at most 30 characters', '最多 30 个字符'),
  )

const settings = {
  /** Older clients send 0 for never. */
  expired_time: expiry.transform((time) => (time === 0 ? NEVER : time)),
  unlimited_quota: z.boolean(),
  models: z.string().max(10_000),
  subnet: z.string().max(1000),
  /** Some clients send -1 as the quota of an unlimited token. */
  remain_quota: z.union([z.literal(-1), quota]).transform((amount) => Math.max(0, amount)),
}

export const tokenDraft = z.object({
  name,
  expired_time: settings.expired_time.default(NEVER),
  unlimited_quota: settings.unlimited_quota.default(false),
  models: settings.models.default(''),
  subnet: settings.subnet.default(''),
  remain_quota: settings.remain_quota.default(0),
  budget_quota: quota.default(0),
  budget_period: budgetPeriod.default(''),
})

/**
 * `quota_seen` is the remaining quota the editor displayed; only the difference is booked, once per
 * `edit_id`. Older clients omit the budget and the name, which then stay unchanged. Any other
 * setting that is omitted is reset. With `?status_only=…`, or if nothing else is sent, only `id`
 * and `status` apply.
 */
const tokenUpdate = z
  .object({
    ...z.object(settings).partial().shape,
    id,
    name: name.optional(),
    quota_seen: quota.optional(),
    edit_id: repeatId.optional(),
    budget_quota: quota.optional(),
    budget_period: budgetPeriod.optional(),
    /** Older forms send back the whole row, whatever its status. */
    status: z.int().optional(),
  })
  .refine(hasSeenQuota, SEEN_QUOTA_RULE)

export const TOKEN_SORTS = [
  'id',
  'name',
  'status',
  'remain_quota',
  'used_quota',
  'created_time',
  'expired_time',
] as const

export const tokenEndpoints = {
  listTokens: endpoint('GET', '/api/token/', 'user', {
    query: pageQuery(TOKEN_SORTS),
    data: z.array(tokenSchema),
  }),
  searchTokens: endpoint('GET', '/api/token/search', 'user', {
    query: keywordQuery,
    data: z.array(tokenSchema),
  }),
  getToken: endpoint('GET', '/api/token/:id', 'user', { params: idParams, data: tokenSchema }),
  createToken: endpoint('POST', '/api/token/', 'user', { body: tokenDraft, data: tokenSchema }),
  updateToken: endpoint('PUT', '/api/token/', 'user', {
    query: z.object({ status_only: statusOnly }),
    body: tokenUpdate,
    data: tokenSchema,
  }),
  deleteToken: endpoint('DELETE', '/api/token/:id', 'user', { params: idParams }),
} as const
