import { z } from 'zod'
import { rule } from './problem.ts'
import { isOrdered, isShort, moment, ordered, short, spanFields } from './stat-span.ts'
import { idText, seconds } from './units.ts'

/** Figures of the usage explorer. The last two are for administrators. */
export const USAGE_METRICS = [
  'quota',
  'requests',
  'failures',
  'prompt_tokens',
  'cached_tokens',
  'completion_tokens',
  'latency',
  'first_token',
  'provider_cost',
  'margin',
] as const

export type UsageMetric = (typeof USAGE_METRICS)[number]

export const OWN_USAGE_METRICS = [
  'quota',
  'requests',
  'failures',
  'prompt_tokens',
  'cached_tokens',
  'completion_tokens',
  'latency',
  'first_token',
] as const satisfies readonly UsageMetric[]

/** What usage is split by. The last three are for administrators. */
export const USAGE_DIMENSIONS = ['model', 'token', 'endpoint', 'user', 'channel', 'group'] as const

export type UsageDimension = (typeof USAGE_DIMENSIONS)[number]

export const OWN_USAGE_DIMENSIONS = [
  'model',
  'token',
  'endpoint',
] as const satisfies readonly UsageDimension[]

/** Dimensions that usage can be narrowed by, whatever it is split by. */
export const USAGE_FILTERS = [
  'model',
  'user',
  'token',
  'channel',
] as const satisfies readonly UsageDimension[]

export type UsageFilter = (typeof USAGE_FILTERS)[number]

export const OWN_USAGE_FILTERS = ['model', 'token'] as const satisfies readonly UsageFilter[]

const wantedId = (en: string, zh: string) => idText.optional().meta({ en, zh })

const ownFilterFields = {
  model: z.string().max(200).optional().meta({ en: 'of this model', zh: '仅此模型' }),
  token: wantedId('of this token', '仅此令牌'),
}

const filterFields = {
  ...ownFilterFields,
  user: wantedId('of this user', '仅此用户'),
  channel: wantedId('of this channel', '仅此渠道'),
}

const COUNTED: readonly UsageMetric[] = [
  'quota',
  'requests',
  'failures',
  'prompt_tokens',
  'completion_tokens',
]

/** Groups and endpoints have no tokens of caches and no times; endpoints no cost either. */
export function hasUsageMetric(by: UsageDimension, metric: UsageMetric): boolean {
  if (by === 'endpoint') return COUNTED.includes(metric)
  if (by === 'group') return !['cached_tokens', 'latency', 'first_token'].includes(metric)
  return true
}

/** Series of the chart; the rest is under the empty key. */
export const EXPLORED_SERIES_MAX = 6
export const EXPLORED_ROWS_MAX = 100

const isKept = ({ by, metric }: { by: UsageDimension; metric: UsageMetric }) =>
  hasUsageMetric(by, metric)

type Filtered = { by: UsageDimension } & { [Name in UsageFilter]?: unknown }

/** Groups are counted without models, users, tokens and channels. */
const isFilterable = ({ by, ...query }: Filtered) =>
  by !== 'group' || USAGE_FILTERS.every((name) => query[name] === undefined)

const filterable = rule('group cannot be combined with filters', 'group 不能与筛选条件同时使用')

const kept = rule('is not kept for this dimension', '该维度没有这项指标')

/** Start of the span of the same length to compare with. */
const compare_start_timestamp = moment.optional()

export const ownExplorationQuery = z
  .object({
    ...spanFields,
    compare_start_timestamp,
    metric: z.enum(OWN_USAGE_METRICS),
    by: z.enum(OWN_USAGE_DIMENSIONS),
    ...ownFilterFields,
  })
  .refine(isOrdered, { ...ordered, path: ['end_timestamp'] })
  .refine(isShort, { ...short, path: ['start_timestamp'] })
  .refine(isKept, { ...kept, path: ['metric'] })

export const explorationQuery = z
  .object({
    ...spanFields,
    compare_start_timestamp,
    metric: z.enum(USAGE_METRICS),
    by: z.enum(USAGE_DIMENSIONS),
    ...filterFields,
  })
  .refine(isOrdered, { ...ordered, path: ['end_timestamp'] })
  .refine(isShort, { ...short, path: ['start_timestamp'] })
  .refine(isKept, { ...kept, path: ['metric'] })
  .refine(isFilterable, { ...filterable, path: ['by'] })

/**
 * Quota, counts, milliseconds at the median, or nano-dollars of cost and margin. Null without
 * samples.
 */
const value = z.number().nullable()

const named = {
  key: z.string(),
  /** Today's name; the key if it has none. */
  label: z.string(),
  /** Owner of a token, for administrators: users may give tokens the same name. */
  owner: z.object({ id: z.int(), username: z.string() }).exactOptional(),
}

export const explorationSchema = z.object({
  total: value,
  /** Null without a span to compare with. */
  previous: value,
  /** What the usage is narrowed to. */
  filters: z.array(z.object({ by: z.enum(USAGE_FILTERS), ...named })),
  /** Greatest first; for times most requests first, for margins the greatest charge. */
  rows: z.array(
    z.object({
      ...named,
      value,
      previous: value,
      requests: z.int(),
    }),
  ),
  /** More keys have usage than `rows` lists. */
  more: z.boolean(),
  /** Oldest first; the greatest rows, and the rest under the empty key. */
  buckets: z.array(z.object({ start: seconds, key: z.string(), value })),
})

export type Exploration = z.output<typeof explorationSchema>
