import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { rule } from './problem.ts'
import { milliseconds, quota, seconds } from './units.ts'

/** How many models are named in each bucket; the rest is summed under the empty name. */
export const STAT_MODELS_MAX = 6
/** How many models and users are ranked. */
export const STAT_TOP_MAX = 10
/** How many channels are shown when none is asked for, and how many can be. */
export const STAT_BUSIEST_MAX = 20
const STAT_CHANNELS_MAX = 100

const HOUR = 3600
const DAY = 24 * HOUR
const SPAN_MAX = { hour: 15 * DAY, day: 400 * DAY } as const

const moment = z.coerce.number().transform(Math.floor).pipe(seconds.min(1))

const spanFields = {
  start_timestamp: moment,
  end_timestamp: moment,
  step: z.enum(['hour', 'day']).default('day'),
  /**
   * Minutes the caller's clock is ahead of UTC. Days begin at the caller's midnight; what is known is
   * sums of whole hours, so where the clock is off by half an hour they begin half an hour late.
   */
  utc_offset: z.coerce.number().int().min(-840).max(840).default(0),
}

export type StatStep = keyof typeof SPAN_MAX

type Span = { start_timestamp: number; end_timestamp: number; step: StatStep }

const isOrdered = ({ start_timestamp, end_timestamp }: Span) => start_timestamp < end_timestamp

const isShort = ({ start_timestamp, end_timestamp, step }: Span) =>
  end_timestamp - start_timestamp <= SPAN_MAX[step]

const ordered = rule('must be after start_timestamp', '必须晚于 start_timestamp')
const short = rule(
  'must be at most 15 days before end_timestamp by hour, and 400 days by day',
  '按小时统计时最多早于 end_timestamp 15 天，按天统计时最多早 400 天',
)

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
    /** Channel ids between commas; without them the busiest channels are shown. */
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
  /** Requests that were given back. */
  failures: z.int(),
  quota: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
}

const figuresSchema = z.object(figures)

export type StatFigures = z.output<typeof figuresSchema>

/** One hour or day and one model; the name is empty for all models but the first. */
const bucketSchema = z.object({ start: seconds, model_name: z.string(), ...figures })

export type StatBucket = z.output<typeof bucketSchema>

const modelSchema = z.object({ model_name: z.string(), ...figures })

const usageSchema = z.object({
  total: figuresSchema,
  /** Oldest first; what had no request has no row. */
  buckets: z.array(bucketSchema),
  /** The greatest first, by quota. */
  models: z.array(modelSchema),
})

export type Usage = z.output<typeof usageSchema>

const userSchema = z.object({ user_id: z.int(), username: z.string(), ...figures })

const allUsageSchema = usageSchema.extend({ users: z.array(userSchema) })

export type AllUsage = z.output<typeof allUsageSchema>

/** Estimated from a histogram; null when nothing was measured. */
const percentile = milliseconds.nullable()

/** A channel that was asked for and had no request has no row. */
const channelSchema = z.object({
  channel_id: z.int(),
  /** Empty when the channel has been deleted. */
  name: z.string(),
  ...figures,
  /** Attempts that failed here, of requests that went on with another channel or key. */
  lost: z.int(),
  /** What attempts here would have cost that nobody was charged for: what hedging and rescue cost upstream. */
  unbilled_quota: quota,
  latency_p50: percentile,
  latency_p95: percentile,
  first_token_p50: percentile,
  buckets: z.array(
    z.object({ start: seconds, requests: z.int(), failures: z.int(), latency_p50: percentile }),
  ),
})

export type ChannelStat = z.output<typeof channelSchema>

export const statEndpoints = {
  getOwnUsage: endpoint('GET', '/api/stat/self', 'user', { query: spanQuery, data: usageSchema }),
  getUsage: endpoint('GET', '/api/stat/', 'admin', { query: spanQuery, data: allUsageSchema }),
  listChannelStats: endpoint('GET', '/api/stat/channels', 'admin', {
    query: channelsQuery,
    data: z.array(channelSchema),
  }),
} as const
