import { z } from 'zod'
import {
  endpoint,
  idParams,
  keywordQuery,
  namedOrder,
  orderedPageFields,
  statusOnly,
} from './endpoint.ts'
import { rule } from './problem.ts'
import { id, QUOTA_MAX, quota, seconds } from './units.ts'

export const REDEMPTION_STATUS = { enabled: 1, disabled: 2, used: 3 } as const

export const REDEMPTIONS_PER_CALL_MAX = 100

export const redemptionSchema = z.object({
  id,
  /** The creator of the code. */
  user_id: z.int(),
  key: z.string(),
  status: z.int(),
  name: z.string(),
  quota,
  created_time: seconds,
  redeemed_time: seconds,
  /**
   * The redeeming user; 0 and empty until redeemed. The name is also empty for a closed account.
   */
  redeemed_by: z.int(),
  redeemed_by_name: z.string(),
  /** When the code stops working; 0 for never. */
  expired_time: seconds,
  /** The name of the generation that the code belongs to. */
  batch: z.string(),
  /** Always 0; meaningful only in a request that creates codes. */
  count: z.literal(0),
})

export type Redemption = z.output<typeof redemptionSchema>

const ENDS_MAX = 4

/** Half of a code at most, because a code is worth money. */
export function maskCode(code: string): string {
  const ends = Math.min(ENDS_MAX, Math.floor(code.length / 4))
  return `${code.slice(0, ends)}…${code.slice(code.length - ends)}`
}

const name = z
  .string()
  .trim()
  .refine(
    (text) => text !== '' && [...text].length <= 20,
    rule('must have 1 to 20 characters', '长度须为 1 到 20 个字符'),
  )

const worth = z.int().min(1).max(QUOTA_MAX)

/** Epoch seconds; 0 for never. */
const expiry = seconds.meta({ examples: [0] })

export const redemptionDraft = z.object({
  name,
  quota: worth,
  count: z.int().min(1).max(REDEMPTIONS_PER_CALL_MAX).default(1),
  expired_time: expiry.default(0),
  /** By default the name. Several calls may add to a batch. */
  batch: name.meta({ examples: ['spring'] }).optional(),
})

/** With `?status_only=…` only `id` and `status` apply, otherwise only name, quota and expiry. */
const redemptionUpdate = z.object({
  id,
  name: name.optional(),
  quota: worth.optional(),
  /** Absent to leave it as it is. */
  expired_time: expiry.optional(),
  status: z.int().optional(),
})

export const REDEMPTION_SORTS = [
  'id',
  'name',
  'status',
  'quota',
  'created_time',
  'redeemed_time',
  'expired_time',
] as const

/** An unused code has expired from its time on. */
export const REDEMPTION_STATES = ['unused', 'used', 'disabled', 'expired'] as const
/** Unused codes that expire within a week or 30 days, or never. */
export const REDEMPTION_EXPIRIES = ['week', 'month', 'never'] as const

const filterFields = {
  /** As `searchRedemptions` finds codes. */
  keyword: keywordQuery.shape.keyword,
  /** The whole name of a batch; empty for any. */
  batch: z.string().max(100).default(''),
  state: z.enum(['', ...REDEMPTION_STATES]).default(''),
  expiry: z.enum(['', ...REDEMPTION_EXPIRIES]).default(''),
}

const filter = z.object(filterFields)

export type RedemptionFilter = z.output<typeof filter>

const batchSchema = z.object({
  batch: z.string(),
  created_time: seconds,
  unused: z.int(),
  used: z.int(),
  disabled: z.int(),
  /** The part of `disabled` that enabling the batch enables. */
  disabled_with_batch: z.int(),
  expired: z.int(),
  /** What the unused codes are worth. */
  unused_quota: z.int(),
})

export type RedemptionBatch = z.output<typeof batchSchema>

/** The newest batches are listed. */
export const BATCHES_MAX = 500

export const redemptionEndpoints = {
  listRedemptions: endpoint('GET', '/api/redemption/', 'admin', {
    query: z
      .object({ ...orderedPageFields(REDEMPTION_SORTS), ...filterFields })
      .transform(namedOrder(REDEMPTION_SORTS)),
    data: z.array(redemptionSchema),
  }),
  searchRedemptions: endpoint('GET', '/api/redemption/search', 'admin', {
    query: keywordQuery,
    data: z.array(redemptionSchema),
  }),
  listRedemptionBatches: endpoint('GET', '/api/redemption/batches', 'admin', {
    data: z.array(batchSchema),
  }),
  /**
   * Disables the unused codes of a batch, or enables those that were disabled with it. Returns
   * their number.
   */
  setBatchStatus: endpoint('PUT', '/api/redemption/batches', 'admin', {
    body: z.object({
      batch: z
        .string()
        .min(1)
        .max(100)
        .meta({ examples: ['spring'] }),
      status: z.literal([REDEMPTION_STATUS.enabled, REDEMPTION_STATUS.disabled]),
    }),
    data: z.int(),
  }),
  getRedemption: endpoint('GET', '/api/redemption/:id', 'admin', {
    params: idParams,
    data: redemptionSchema,
  }),
  /** Returns the codes. */
  createRedemptions: endpoint('POST', '/api/redemption/', 'admin', {
    body: redemptionDraft,
    data: z.array(z.string()),
  }),
  updateRedemption: endpoint('PUT', '/api/redemption/', 'admin', {
    query: z.object({ status_only: statusOnly }),
    body: redemptionUpdate,
    data: redemptionSchema,
  }),
  deleteRedemption: endpoint('DELETE', '/api/redemption/:id', 'admin', { params: idParams }),
} as const
