import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { id, QUOTA_MAX, quota, repeatId, seconds, wholeNumberText } from './units.ts'

/** The last characters of an invite code are its owner's gift code. */
export const GIFT_CODE_LENGTH = 5

/** Bonus for both sides of a gift code, in percent of the redeemed quota. */
export const GIFT_PERCENT = 5

export const redeeming = z.object({
  key: z.string().trim().min(1).max(100),
  gift_code: z.string().trim().max(20).default(''),
})

/** `transaction_id` is the caller's idempotency key. */
const grant = z.object({
  user_id: id,
  quota: z.int().min(1).max(QUOTA_MAX),
  remark: z.string().max(200).default(''),
  transaction_id: repeatId.optional(),
})

/** Minimum payout of partner earnings: ¥100. */
export const PAYOUT_FEN_MIN = 10_000

/** `amount` is in fen. `payout_id` is the caller's idempotency key. */
const payout = z.object({
  user_id: id,
  amount: z.int().min(PAYOUT_FEN_MIN).max(100_000_000_000),
  note: z.string().max(200).default(''),
  payout_id: repeatId.optional(),
})

const FRIENDS_PAGE_SIZE = 10
const FRIENDS_PAGE_SIZE_MAX = 100
const FRIENDS_PAGE_MAX = 100_000

const friendsPage = {
  page: wholeNumberText({ least: 1, most: FRIENDS_PAGE_MAX }),
  size: z.coerce
    .number()
    .int()
    .min(1)
    .transform((size) => Math.min(size, FRIENDS_PAGE_SIZE_MAX))
    .catch(FRIENDS_PAGE_SIZE)
    .default(FRIENDS_PAGE_SIZE),
}

const friend = z.object({ invited_time: seconds, username: z.string() })

export const partnerPlanSchema = z.object({
  aff_code: z.string(),
  gift_code: z.string(),
  /** Earned and not yet paid out, in fen (1/100 yuan). */
  invite_balance: z.int(),
})

export type PartnerPlan = z.output<typeof partnerPlanSchema>

export const topUpEndpoints = {
  /** Redeems a code and returns the quota added. */
  redeem: endpoint('POST', '/api/user/topup', 'user', { body: redeeming, data: quota }),
  /** Adds quota to a user and returns the amount. Shops call it with an access token. */
  grantQuota: endpoint('POST', '/api/topup', 'admin', {
    body: grant,
    data: z.object({ quota, repeated: z.boolean() }),
  }),
  getPartnerPlan: endpoint('GET', '/api/user/partner_plan_info', 'user', {
    data: partnerPlanSchema,
  }),
  /** Users the caller invited, newest first; pages start at 1. */
  listFriends: endpoint('GET', '/api/user/friends', 'user', {
    query: z.object(friendsPage),
    data: z.array(friend),
    extra: z.object({ total: z.int(), page: z.int(), size: z.int() }),
  }),
  recordPayout: endpoint('POST', '/api/partner/payout', 'root', {
    body: payout,
    data: z.object({ invite_balance: z.int(), repeated: z.boolean() }),
    confirmed: true,
  }),
} as const
