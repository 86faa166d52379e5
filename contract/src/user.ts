import { z } from 'zod'
import {
  endpoint,
  idParams,
  keywordQuery,
  namedOrder,
  orderedPageFields,
  pageQuery,
} from './endpoint.ts'
import { CREDIT_KINDS } from './own-billing.ts'
import { USER_ACTIONS } from './permissions.ts'
import { id, quota, repeatId, seconds, SEEN_QUOTA_RULE, hasSeenQuota } from './units.ts'
import { displayName, password, sessionUserSchema, textOf, username } from './user-fields.ts'
import { userFilterFields } from './user-filter.ts'

export const userSchema = z.object({
  ...sessionUserSchema.shape,
  email: z.string(),
  github_id: z.string(),
  wechat_id: z.string(),
  lark_id: z.string(),
  oidc_id: z.string(),
  quota,
  /** Leased for running requests; part of `quota`. */
  quota_leased: quota,
  used_quota: quota,
  request_count: z.int(),
  /** Comma-separated; the first group with a live channel serves and bills. */
  group: z.string(),
  aff_code: z.string(),
  inviter_id: z.int(),
  /** Earned by invitations and not yet paid out, in fen (1/100 yuan). */
  invite_balance: z.int(),
  created_time: seconds,
  /** Whether login needs a second factor or a passkey. */
  second_factor: z.boolean(),
  /**
   * How many days `quota` lasts at the rate of the last seven days; null where there is too little
   * use to say.
   */
  days_left: z.number().nullable().default(null),
})

export type User = z.output<typeof userSchema>

const groupList = z.string().max(200)

const userDraft = z.object({
  username,
  password,
  display_name: displayName.default(''),
})

/**
 * An empty name, password or group keeps the stored value. `quota_seen` is the balance the editor
 * displayed. A repeated edit with the same `edit_id` changes no balance.
 */
const userEdit = z
  .object({
    id,
    username: z.union([z.literal(''), username]).optional(),
    display_name: displayName.optional(),
    password: z.union([z.literal(''), password]).optional(),
    github_id: textOf(0, 100).optional(),
    wechat_id: textOf(0, 100).optional(),
    group: groupList.optional(),
    quota: quota.optional(),
    quota_seen: quota.optional(),
    edit_id: repeatId.optional(),
  })
  .refine(hasSeenQuota, SEEN_QUOTA_RULE)

const selfEdit = z.object({
  username: z.union([z.literal(''), username]).optional(),
  display_name: displayName.optional(),
  password: z.union([z.literal(''), password]).optional(),
})

const dashboardRow = z.object({
  Day: z.string(),
  ModelName: z.string(),
  RequestCount: z.int(),
  Quota: z.int(),
  PromptTokens: z.int(),
  CompletionTokens: z.int(),
})

export const userCreditSchema = z.object({
  id,
  created_at: seconds,
  /** Negative for a deduction. */
  amount: z.int(),
  kind: z.enum(CREDIT_KINDS),
  /** The administrator's remark; empty for most. */
  note: z.string(),
  /** The user who caused the entry, such as an administrator; 0 for the gateway itself. */
  actor_id: z.int(),
  /** Empty for a closed account. */
  actor_name: z.string(),
})

export type UserCredit = z.output<typeof userCreditSchema>

export const USER_SORTS = [
  'id',
  'username',
  'group',
  'quota',
  'used_quota',
  'request_count',
  'role',
  'status',
  'invite_balance',
] as const

export const selfEndpoints = {
  getSelf: endpoint('GET', '/api/user/self', 'user', {
    data: userSchema,
    beforeSecondFactor: true,
  }),
  updateSelf: endpoint('PUT', '/api/user/self', 'user', { body: selfEdit }),
  deleteSelf: endpoint('DELETE', '/api/user/self', 'user', {}),
  /** Creates an access token, returned only once; the previous token stops working. */
  createAccessToken: endpoint('GET', '/api/user/token', 'user', {
    data: z.string(),
    changesState: true,
    confirmed: true,
  }),
  getInviteCode: endpoint('GET', '/api/user/aff', 'user', { data: z.string() }),
  /** The last seven days (UTC), by day and model. Clients expect the capitalised field names. */
  getDashboard: endpoint('GET', '/api/user/dashboard', 'user', { data: z.array(dashboardRow) }),
  /** Models that at least one of the caller's groups can use. */
  listAvailableModels: endpoint('GET', '/api/user/available_models', 'user', {
    data: z.array(z.string()),
  }),
} as const

export const userEndpoints = {
  listUsers: endpoint('GET', '/api/user/', 'admin', {
    query: z
      .object({ ...orderedPageFields(USER_SORTS), ...userFilterFields })
      .transform(namedOrder(USER_SORTS)),
    data: z.array(userSchema),
  }),
  searchUsers: endpoint('GET', '/api/user/search', 'admin', {
    query: keywordQuery,
    data: z.array(userSchema),
  }),
  getUser: endpoint('GET', '/api/user/:id', 'admin', { params: idParams, data: userSchema }),
  /** Credits and deductions that are no charges of requests, newest first. */
  listUserCredits: endpoint('GET', '/api/user/:id/credits', 'admin', {
    params: idParams,
    query: pageQuery(['id']),
    data: z.array(userCreditSchema),
  }),
  createUser: endpoint('POST', '/api/user/', 'admin', { body: userDraft, data: userSchema }),
  updateUser: endpoint('PUT', '/api/user/', 'admin', { body: userEdit, data: userSchema }),
  manageUser: endpoint('POST', '/api/user/manage', 'admin', {
    body: z.object({ username: z.string().min(1).max(100), action: z.enum(USER_ACTIONS) }),
    data: userSchema.pick({ status: true, role: true }),
  }),
  deleteUser: endpoint('DELETE', '/api/user/:id', 'admin', { params: idParams }),
  /** Removes all second factors of a user and ends their sessions. */
  resetSecondFactor: endpoint('DELETE', '/api/user/:id/2fa', 'admin', {
    params: idParams,
    confirmed: true,
    sessionOnly: true,
  }),
} as const
