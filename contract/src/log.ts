import { z } from 'zod'
import { endpoint, idParams, keywordQuery, pageFields } from './endpoint.ts'
import { milliseconds, quota, ratio, seconds, SECONDS_MAX, wholeNumberText } from './units.ts'

export const LOG_TYPE = { all: 0, topup: 1, consume: 2, manage: 3, system: 4 } as const

/** How an admitted request ended: charged, or given back. Empty on rows that are no request. */
export const OUTCOMES = ['', 'settled', 'void'] as const

/** What happens when a client leaves: the upstream is read on, or stopped. Empty on rows that are no request. */
export const DISCONNECT_POLICIES = ['', 'drain', 'abort'] as const

/** One try at one channel. */
export const attemptSchema = z.object({
  channel: z.int(),
  /** HTTP status of the upstream; 0 when there was no answer. */
  status: z.int(),
  /** Empty when it answered; else a word for what became of it, or `kind: what the provider said`. */
  reason: z.string(),
  milliseconds,
  /** Begun beside another that was late. */
  hedged: z.boolean().default(false),
  /** Begun to go on with an answer that had broken off or gone silent. */
  rescued: z.boolean().default(false),
  /** What the provider may ask to be paid for and nobody was charged for. */
  unbilled_prompt_tokens: z.int().default(0),
  unbilled_completion_tokens: z.int().default(0),
  /** What those would have cost a caller, at the price of this channel's model and no group's. */
  unbilled_quota: quota.default(0),
})

/** As it is written: what is not so may be left out. */
export type Attempt = z.input<typeof attemptSchema>

/** Of a charge's completion tokens those that another attempt delivered at another price. */
export const rescuedPartSchema = z.object({
  price_model: z.string(),
  price_version: z.string(),
  model_ratio: ratio,
  completion_ratio: ratio,
  completion_tokens: z.int(),
})

export type RescuedPart = z.output<typeof rescuedPartSchema>

/** What has a price of its own among the tokens of the prompt, of the completion, and of what is written to a cache. */
const TOKEN_KINDS = [
  'audio_prompt',
  'image_prompt',
  'audio_completion',
  'long_cache_write',
] as const

/** Of a charge's tokens those of one such kind. */
export const kindPartSchema = z.object({ kind: z.enum(TOKEN_KINDS), tokens: z.int(), ratio })

export type KindPart = z.output<typeof kindPartSchema>

/** What is sold by the piece and not by the token. */
const MEASURED_UNITS = ['image', 'second', 'character', 'search'] as const

/** How many pieces; the prompt tokens of the charge are what they count for. */
const measuredSchema = z.object({ unit: z.enum(MEASURED_UNITS), count: z.int() })

/** A report that cannot be of its request. */
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

/** Everything a charge was computed from, so that it can be computed again. */
export const chargeBasisSchema = z.object({
  /** The name the price was found under. */
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
   * `approximate`: counted here, some of it by the size of a text. `overruled`: counted here, as what the provider
   * reported cannot be of this request. `estimated`: the client left, and the output by the time the provider worked.
   */
  usage_source: z.enum(USAGE_SOURCES),
  /** What the provider reported, where that was not charged. */
  overruled: overruledSchema.exactOptional(),
  rescued: z.array(rescuedPartSchema).exactOptional(),
  kinds: z.array(kindPartSchema).exactOptional(),
  measured: measuredSchema.exactOptional(),
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
  /** 0 in a user's own rows: which channel served is the operator's business. */
  channel: z.int(),
  request_id: z.string(),
  elapsed_time: milliseconds,
  first_token_time: milliseconds,
  is_stream: z.boolean(),
  outcome: z.enum(OUTCOMES),
  end_reason: z.string(),
  uncollected: quota,
  /** Admins only; empty otherwise. */
  upstream_model: z.string(),
  /** Where the tokens of a charge come from (`usage_source` of its basis); empty on rows that charged nothing. */
  usage_source: z.enum(['', ...USAGE_SOURCES]),
})

export type Log = z.output<typeof logSchema>

/** A row opened: all that its charge was computed from, and what was tried for it. */
export const receiptSchema = logSchema.extend({
  /** Admins only; empty otherwise. A channel that was deleted has no name. */
  attempts: z.array(attemptSchema.extend({ channel_name: z.string() })),
  attempt_count: z.int(),
  /** How long the attempts took that gave no answer, in all. */
  lost: milliseconds,
  /** What was reserved for it in all; 0 on rows that are no request. */
  held: quota,
  /** Null on rows that charged nothing. */
  basis: chargeBasisSchema.nullable(),
  disconnect_policy: z.enum(DISCONNECT_POLICIES),
})

export type Receipt = z.output<typeof receiptSchema>

/** Fractions are floored, as some clients send them; garbage is no bound, and milliseconds are a late one. */
const timestamp = wholeNumberText({ least: 0, most: SECONDS_MAX })

const text = z.string().max(200).default('')

/** 0 and garbage match everything; what is no id matches nothing. */
const number = z.coerce
  .number()
  .transform((given) => (given >= 0 && given < Number.MAX_SAFE_INTEGER ? Math.floor(given) : -1))
  .catch(0)
  .default(0)

const ownFilter = {
  type: number,
  token_name: text,
  model_name: text,
  start_timestamp: timestamp,
  end_timestamp: timestamp,
}

const adminFilter = { ...ownFilter, username: text, channel: number }

const page = pageFields(['id'])

const ownLogQuery = z.object({ ...page, ...ownFilter })
const logQuery = z.object({ ...page, ...adminFilter })

const stat = z.object({ quota: z.int() })

export const logEndpoints = {
  listLogs: endpoint('GET', '/api/log/', 'admin', { query: logQuery, data: z.array(logSchema) }),
  listOwnLogs: endpoint('GET', '/api/log/self', 'user', {
    query: ownLogQuery,
    data: z.array(logSchema),
  }),
  /** Of a user's own rows; administrators read all. */
  getReceipt: endpoint('GET', '/api/log/:id/receipt', 'user', {
    params: idParams,
    data: receiptSchema,
  }),
  /** Sums what was consumed, whatever `type` says. */
  sumLogs: endpoint('GET', '/api/log/stat', 'admin', {
    query: z.object(adminFilter),
    data: stat,
  }),
  sumOwnLogs: endpoint('GET', '/api/log/self/stat', 'user', {
    query: z.object(ownFilter),
    data: stat,
  }),
  /** By type, or by the beginning of the content; the newest. */
  searchLogs: endpoint('GET', '/api/log/search', 'admin', {
    query: keywordQuery,
    data: z.array(logSchema),
  }),
  searchOwnLogs: endpoint('GET', '/api/log/self/search', 'user', {
    query: keywordQuery,
    data: z.array(logSchema),
  }),
  /** Deletes the rows before a moment and tells how many there were; the books stay. */
  deleteLogs: endpoint('DELETE', '/api/log/', 'admin', {
    query: z.object({
      target_timestamp: z.coerce.number().transform(Math.floor).pipe(seconds.min(1)),
    }),
    data: z.int(),
  }),
} as const
