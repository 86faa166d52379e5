import { z } from 'zod'
import { endpoint, idParams, keywordQuery, pageFields } from './endpoint.ts'
import { adminLogFilter, facetsSchema, OUTCOMES, ownLogFilter } from './log-filter.ts'
import { idText, milliseconds, nanoDollars, quota, ratio, seconds } from './units.ts'

export const LOG_TYPE = { all: 0, topup: 1, consume: 2, manage: 3, system: 4 } as const

/** On client disconnect the upstream is drained or aborted. Empty on rows that are not requests. */
export const DISCONNECT_POLICIES = ['', 'drain', 'abort'] as const

/**
 * Where the cost of an attempt is from: the list price, a factor of it, the channel's own prices,
 * the group ratio of a gateway that is the provider, or the provider's answer. Empty if unknown.
 */
export const COST_SOURCES = ['', 'list', 'factor', 'table', 'group', 'reported'] as const

export type CostSource = (typeof COST_SOURCES)[number]

export const attemptRecordSchema = z.object({
  channel: z.int(),
  /** HTTP status of the upstream; 0 if there was no response. */
  status: z.int(),
  /** Empty on success; else the outcome in a word, or `kind: provider message`. */
  reason: z.string(),
  milliseconds,
  /** Started as a hedge while an earlier attempt was slow. */
  hedged: z.boolean().default(false),
  /** Started by stream failover, after a stream had broken or stalled. */
  rescued: z.boolean().default(false),
  /** What the provider got changed or not at all, such as `temperature`. */
  adapted: z.array(z.string()).default([]),
  /** The session had used this channel and key before, so the prompt may be in its cache. */
  session: z.boolean().default(false),
  /** The model name that the provider was sent. */
  model: z.string().default(''),
  /** Fingerprint of the key that was used. */
  key: z.string().default(''),
  /** The tokens that the provider is believed to bill. */
  prompt_tokens: z.int().default(0),
  cached_tokens: z.int().default(0),
  cache_write_tokens: z.int().default(0),
  completion_tokens: z.int().default(0),
  /** What the provider is believed to charge for them. */
  cost: nanoDollars.default(0),
  cost_source: z.enum(COST_SOURCES).default(''),
  /** Usage the provider may bill although no user was charged for it. */
  unbilled_prompt_tokens: z.int().default(0),
  unbilled_completion_tokens: z.int().default(0),
  /** Price of the unbilled tokens at this channel's model, without a group ratio. */
  unbilled_quota: quota.default(0),
})

/** Input form: fields at their default may be left out. */
export type AttemptRecord = z.input<typeof attemptRecordSchema>

/** Part of a charge's completion tokens that another attempt delivered at a different price. */
export const failoverPartSchema = z.object({
  price_model: z.string(),
  price_version: z.string(),
  model_ratio: ratio,
  completion_ratio: ratio,
  completion_tokens: z.int(),
})

export type FailoverPart = z.output<typeof failoverPartSchema>

/** Token kinds with their own price: prompt, completion and cache-write tokens. */
const TOKEN_KINDS = [
  'audio_prompt',
  'image_prompt',
  'audio_completion',
  'long_cache_write',
] as const

export const kindPartSchema = z.object({ kind: z.enum(TOKEN_KINDS), tokens: z.int(), ratio })

export type KindPart = z.output<typeof kindPartSchema>

/** Units that are sold by the piece, not by the token. */
const MEASURED_UNITS = ['image', 'second', 'character', 'search', 'page', 'call'] as const

/** The number of pieces. The charge's prompt tokens are their token equivalent. */
const measuredSchema = z.object({ unit: z.enum(MEASURED_UNITS), count: z.int() })

/** A factor of the whole price: the service tier, or the region in which the answer was made. */
const factorPartSchema = z.object({
  kind: z.enum(['tier', 'region']),
  name: z.string(),
  /** Multiples of the prices of input and output. */
  input: ratio,
  output: ratio,
  /** The multiple of the price of cached input; absent if it is that of input. */
  cached: ratio.exactOptional(),
})

export type FactorPart = z.output<typeof factorPartSchema>

/** Calls of a tool that the provider runs. `units`: quota of a call, before the group ratio. */
const toolPartSchema = z.object({ tool: z.string(), calls: z.int(), units: z.number().min(0) })

export type ToolPart = z.output<typeof toolPartSchema>

/** Usage the provider reported that is implausible for the request. */
const overruledSchema = z.object({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  reasoning_tokens: z.int(),
})

export const USAGE_SOURCES = [
  'reported',
  'counted',
  'approximate',
  'overruled',
  'estimated',
] as const

/** Every input of a charge, so that the charge can be recomputed. */
export const chargeBasisSchema = z.object({
  /** The model name under which the price was found. */
  price_model: z.string(),
  price_version: z.string(),
  model_ratio: ratio,
  completion_ratio: ratio,
  cache_ratio: ratio,
  cache_write_ratio: ratio,
  group: z.string(),
  group_ratio: ratio,
  prompt_tokens: z.int(),
  cached_tokens: z.int(),
  cache_write_tokens: z.int(),
  completion_tokens: z.int(),
  reasoning_tokens: z.int(),
  /**
   * `approximate`: counted here, partly from text size. `overruled`: counted here, because the
   * provider's report is implausible for this request. `estimated`: the answer was not read to its
   * end, because the client or the provider disconnected or the balance ended; output is estimated
   * from the time the provider worked.
   */
  usage_source: z.enum(USAGE_SOURCES),
  /** The provider's report, if the charge does not use it. */
  overruled: overruledSchema.exactOptional(),
  rescued: z.array(failoverPartSchema).exactOptional(),
  kinds: z.array(kindPartSchema).exactOptional(),
  measured: measuredSchema.exactOptional(),
  /** Already part of the ratios of the basis. */
  factors: z.array(factorPartSchema).exactOptional(),
  /** Charged in addition to the tokens. */
  tools: z.array(toolPartSchema).exactOptional(),
  held: quota,
  cost: quota,
})

export type ChargeBasis = z.output<typeof chargeBasisSchema>

export const logSchema = z.object({
  id: z.int(),
  user_id: z.int(),
  created_at: seconds,
  type: z.int(),
  content: z.string(),
  username: z.string(),
  token_name: z.string(),
  model_name: z.string(),
  quota: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  /** 0 in a user's own rows: the serving channel is visible to administrators only. */
  channel: z.int(),
  /** Today's name; empty for a deleted channel, and in a user's own rows. */
  channel_name: z.string(),
  request_id: z.string(),
  elapsed_time: milliseconds,
  first_token_time: milliseconds,
  is_stream: z.boolean(),
  /** The endpoint in a word, such as `chat`; empty on rows of early versions. */
  endpoint: z.string(),
  /** The group that served the request; empty without one, and on rows of early versions. */
  group: z.string(),
  outcome: z.enum(OUTCOMES),
  end_reason: z.string(),
  uncollected: quota,
  /** Empty for everyone but administrators. */
  upstream_model: z.string(),
  /** `usage_source` of the charge basis; empty on rows without a charge. */
  usage_source: z.enum(['', ...USAGE_SOURCES]),
  /** Charged at the default ratio, because the model has no price. */
  default_price: z.boolean(),
})

export type Log = z.output<typeof logSchema>

/** What providers charge the operator; null if unknown, and on rows that are not requests. */
const provider_cost = nanoDollars.nullable()

const adminLogSchema = logSchema.extend({ provider_cost })

export type AdminLog = z.output<typeof adminLogSchema>

export const receiptSchema = logSchema.extend({
  /** Empty for everyone but administrators. A deleted channel has no name. */
  attempts: z.array(attemptRecordSchema.extend({ channel_name: z.string() })),
  attempt_count: z.int(),
  /** Total duration of the attempts that gave no answer. */
  lost: milliseconds,
  /** The total hold; 0 on rows that are not requests. */
  held: quota,
  /** Null on rows without a charge. */
  basis: chargeBasisSchema.nullable(),
  disconnect_policy: z.enum(DISCONNECT_POLICIES),
  /** Absent for everyone but administrators. */
  provider_cost: provider_cost.exactOptional(),
})

export type Receipt = z.output<typeof receiptSchema>

/** Columns that a page of the log is sorted by. */
export const LOG_SORTS = [
  'id',
  'quota',
  'elapsed_time',
  'first_token_time',
  'prompt_tokens',
  'completion_tokens',
] as const

const page = {
  ...pageFields(LOG_SORTS),
  /** For views that follow the log; such pages are not counted. */
  after: idText.optional().meta({ en: 'rows of higher ids alone', zh: '仅返回 id 更大的行' }),
}

const { sort, order: direction } = page
const order = { sort, order: direction }

const ownLogQuery = z.object({ ...page, ...ownLogFilter })
const logQuery = z.object({ ...page, ...adminLogFilter })

const stat = z.object({ quota: z.int() })

export const logEndpoints = {
  listLogs: endpoint('GET', '/api/log/', 'admin', {
    query: logQuery,
    data: z.array(adminLogSchema),
  }),
  listOwnLogs: endpoint('GET', '/api/log/self', 'user', {
    query: ownLogQuery,
    data: z.array(logSchema),
  }),
  /** All rows of a filter. */
  exportLogs: endpoint('GET', '/api/log/export', 'admin', {
    query: z.object({ ...order, ...adminLogFilter }),
    rows: adminLogSchema,
  }),
  exportOwnLogs: endpoint('GET', '/api/log/self/export', 'user', {
    query: z.object({ ...order, ...ownLogFilter }),
    rows: logSchema,
  }),
  /** Counts of the newest rows of a filter by their values. */
  listLogFacets: endpoint('GET', '/api/log/facets', 'admin', {
    query: z.object(adminLogFilter),
    data: facetsSchema,
  }),
  listOwnLogFacets: endpoint('GET', '/api/log/self/facets', 'user', {
    query: z.object(ownLogFilter),
    data: facetsSchema,
  }),
  /** Users read their own rows; administrators read all. */
  getReceipt: endpoint('GET', '/api/log/:id/receipt', 'user', {
    params: idParams,
    data: receiptSchema,
  }),
  /** Sums consumption, ignoring `type`. */
  sumLogs: endpoint('GET', '/api/log/stat', 'admin', {
    query: z.object(adminLogFilter),
    data: stat,
  }),
  sumOwnLogs: endpoint('GET', '/api/log/self/stat', 'user', {
    query: z.object(ownLogFilter),
    data: stat,
  }),
  /** Matches the type or the start of the content; newest first. */
  searchLogs: endpoint('GET', '/api/log/search', 'admin', {
    query: keywordQuery,
    data: z.array(adminLogSchema),
  }),
  searchOwnLogs: endpoint('GET', '/api/log/self/search', 'user', {
    query: keywordQuery,
    data: z.array(logSchema),
  }),
  /** Deletes rows older than a timestamp and returns their number. Rollups stay. */
  deleteLogs: endpoint('DELETE', '/api/log/', 'admin', {
    query: z.object({
      target_timestamp: z.coerce.number().transform(Math.floor).pipe(seconds.min(1)),
    }),
    data: z.int(),
  }),
} as const
