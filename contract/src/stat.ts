import { z } from 'zod'
import { endpoint, idParams } from './endpoint.ts'
import { explorationSchema, explorationQuery, ownExplorationQuery } from './explore.ts'
import { rule } from './problem.ts'
import { isOrdered, isShort, moment, ordered, short, spanFields } from './stat-span.ts'
import { milliseconds, quota, seconds } from './units.ts'

/** Models listed per bucket; the rest is summed under an empty name. */
export const STAT_MODELS_MAX = 6
/** Rows of the model and user rankings. */
export const STAT_TOP_MAX = 10
/** Default number of channels (the busiest), and the maximum. */
export const STAT_BUSIEST_MAX = 20
const STAT_CHANNELS_MAX = 100

const spanQuery = z
  .object(spanFields)
  .refine(isOrdered, { ...ordered, path: ['end_timestamp'] })
  .refine(isShort, { ...short, path: ['start_timestamp'] })

const idList = rule(
  `must be at most ${STAT_CHANNELS_MAX} ids between commas`,
  `最多 ${STAT_CHANNELS_MAX} 个 ID，以逗号分隔`,
)

const channelsQuery = z
  .object({
    ...spanFields,
    /** Comma-separated channel ids; by default the busiest channels are shown. */
    ids: z
      .string()
      .max(2000)
      .refine(
        (text) =>
          /^(?:\d{1,15}(?:,\d{1,15})*)?$/.test(text) && text.split(',').length <= STAT_CHANNELS_MAX,
        idList,
      )
      .default('')
      .transform((text) => (text === '' ? [] : text.split(',').map(Number))),
  })
  .refine(isOrdered, { ...ordered, path: ['end_timestamp'] })
  .refine(isShort, { ...short, path: ['start_timestamp'] })

const figures = {
  requests: z.int(),
  /** Voided requests. */
  failures: z.int(),
  quota: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
}

const figuresSchema = z.object(figures)

export type StatFigures = z.output<typeof figuresSchema>

/** One time bucket of one model. The name is empty for the sum of the models not listed. */
const bucketSchema = z.object({ start: seconds, model_name: z.string(), ...figures })

export type StatBucket = z.output<typeof bucketSchema>

const modelSchema = z.object({ model_name: z.string(), ...figures })

const usageSchema = z.object({
  total: figuresSchema,
  /** Oldest first; buckets without requests are absent. */
  buckets: z.array(bucketSchema),
  /** Descending by quota. */
  models: z.array(modelSchema),
  /** Yesterday until this time of day. The hour of now counts by its share. */
  yesterday_so_far: z.object({ quota: z.int(), requests: z.int() }),
  cache: z.object({
    /** The part of `prompt_tokens` that providers read from their caches. */
    cached_tokens: z.int(),
    /**
     * How much less was charged than if all input had the price of ordinary input. Negative if
     * writing to caches cost more than reading saved.
     */
    saved_quota: z.int(),
  }),
})

export type Usage = z.output<typeof usageSchema>

const userSchema = z.object({ user_id: z.int(), username: z.string(), ...figures })

const allUsageSchema = usageSchema.extend({ users: z.array(userSchema) })

export type AllUsage = z.output<typeof allUsageSchema>

/** Estimated from a histogram; null without samples. */
const percentile = milliseconds.nullable()

/** Requested channels without requests are absent. */
const channelSchema = z.object({
  channel_id: z.int(),
  /** Empty for a deleted channel. */
  name: z.string(),
  ...figures,
  /** Failed attempts whose request was retried on another channel or key. */
  lost: z.int(),
  /**
   * Value of attempts no user was charged for: the upstream cost of hedging and stream failover.
   */
  unbilled_quota: quota,
  latency_p50: percentile,
  latency_p95: percentile,
  first_token_p50: percentile,
  buckets: z.array(
    z.object({ start: seconds, requests: z.int(), failures: z.int(), latency_p50: percentile }),
  ),
})

export type ChannelStat = z.output<typeof channelSchema>

/** What costs are summed by. */
export const COST_DIMENSIONS = ['model', 'channel', 'user', 'group'] as const

export type CostDimension = (typeof COST_DIMENSIONS)[number]

export const COST_ROWS_MAX = 500
const COST_KEYS_MAX = 100

const costDimensions = z
  .string()
  .transform((text) => text.split(','))
  .pipe(
    z
      .array(z.enum(COST_DIMENSIONS))
      .max(COST_DIMENSIONS.length)
      .refine((list) => new Set(list).size === list.length),
  )

const costsQuery = z
  .object({
    start_timestamp: moment,
    end_timestamp: moment,
    /** One dimension, or several between commas. */
    by: z
      .string()
      .refine(
        (text) => costDimensions.safeParse(text).success,
        rule(
          `must be ${COST_DIMENSIONS.join(', ')}, or several of them between commas`,
          `必须是 ${COST_DIMENSIONS.join('、')}，多个以逗号分隔`,
        ),
      )
      .meta({ examples: ['model'] })
      .transform((text) => costDimensions.parse(text)),
    /** Ids or names as a JSON list; by default those with the highest charges. */
    keys: z
      .string()
      .max(30_000)
      .default('')
      .refine(
        (text) => namesIn(text) !== null,
        rule(
          `must be a JSON list of at most ${COST_KEYS_MAX} texts`,
          `必须是最多 ${COST_KEYS_MAX} 个文本的 JSON 列表`,
        ),
      )
      .transform((text) => namesIn(text) ?? []),
  })
  .transform((query) => ({ ...query, step: 'day' as const, utc_offset: 0 }))
  .refine(isOrdered, { ...ordered, path: ['end_timestamp'] })
  .refine(isShort, { ...short, path: ['start_timestamp'] })

function namesIn(text: string): readonly string[] | null {
  if (text === '') return []
  try {
    return z.array(z.string()).max(COST_KEYS_MAX).safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

const costRowSchema = z.object({
  by: z.enum(COST_DIMENSIONS),
  /** The name or id. */
  key: z.string(),
  requests: z.int(),
  quota: z.int(),
  /** In nano-dollars. */
  provider_cost: z.int(),
  /** The part of `quota` whose cost at providers is known; the margin is about this part. */
  costed_quota: z.int(),
})

export type CostRow = z.output<typeof costRowSchema>

export const statEndpoints = {
  /** A figure by a dimension over a span, with the values of a span to compare with. */
  exploreUsage: endpoint('GET', '/api/stat/explore', 'admin', {
    query: explorationQuery,
    data: explorationSchema,
  }),
  exploreOwnUsage: endpoint('GET', '/api/stat/self/explore', 'user', {
    query: ownExplorationQuery,
    data: explorationSchema,
  }),
  getOwnUsage: endpoint('GET', '/api/stat/self', 'user', { query: spanQuery, data: usageSchema }),
  getUserUsage: endpoint('GET', '/api/stat/user/:id', 'admin', {
    params: idParams,
    query: spanQuery,
    data: usageSchema,
  }),
  getUsage: endpoint('GET', '/api/stat/', 'admin', { query: spanQuery, data: allUsageSchema }),
  listChannelStats: endpoint('GET', '/api/stat/channels', 'admin', {
    query: channelsQuery,
    data: z.array(channelSchema),
  }),
  /** Charges and what they cost at providers. The cost of a hedge counts for its own channel. */
  listCosts: endpoint('GET', '/api/stat/costs', 'admin', {
    query: costsQuery,
    data: z.array(costRowSchema),
  }),
} as const
