import { z } from 'zod'
import { endpoint, idParams } from './endpoint.ts'
import { priceLossEndpoints } from './price-loss.ts'
import { rule } from './problem.ts'
import { id, seconds } from './units.ts'
import { publicRequestAddress } from './web-address.ts'

export const FEED_KINDS = ['litellm', 'models_dev', 'openrouter', 'gateway', 'tollgate'] as const

export type FeedKind = (typeof FEED_KINDS)[number]

/** Why a price of a feed is not used. */
const FEED_PROBLEMS = [
  'no_price',
  'not_a_number',
  'negative',
  'zero',
  'too_high',
  'too_low',
  'cached_above_input',
  'duplicate',
] as const

export type FeedProblem = (typeof FEED_PROBLEMS)[number]

const PRICE_CHANGE_KINDS = ['new', 'dearer', 'cheaper', 'mixed', 'removed'] as const

export type PriceChangeKind = (typeof PRICE_CHANGE_KINDS)[number]

const HOURS_MAX = 24 * 30

/** Receipts name the feed, followed by the day and marks that begin with "+". */
const feedName = z
  .string()
  .trim()
  .min(1)
  .max(60)
  .refine(
    (name) => !/[+\p{Cc}]/u.test(name),
    rule('must have no "+" and no control characters', '不能包含“+”和控制字符'),
  )
  .meta({ examples: ['LiteLLM'] })

const feedFields = {
  name: feedName,
  kind: z.enum(FEED_KINDS),
  /** Empty for a feed whose file is uploaded. */
  url: publicRequestAddress.meta({ examples: ['https://models.dev/api.json'] }),
  /** Group of this gateway's key at another gateway; other kinds have none. */
  key_group: z.string().trim().max(200).default('default'),
  /** 0: only by hand. */
  every_hours: z.int().min(0).max(HOURS_MAX).default(24),
  /** Vendors whose changes apply by themselves, separated by commas; `*` is all. */
  auto_vendors: z.string().trim().max(1000).default(''),
  /** A larger change, in percent, never applies by itself. */
  alert_percent: z.int().min(1).max(1000).default(20),
  /** An older list alerts. */
  stale_days: z.int().min(1).max(365).default(7),
}

export const priceFeedDraft = z.object(feedFields)

const priceFeedEdit = z.object({ ...feedFields, id })

const priceFeedSchema = z.object({
  ...feedFields,
  url: z.string(),
  id,
  /** Number of usable prices in the last list, and of prices that are not used. */
  models: z.int(),
  problems: z.int(),
  /** When the list was last requested, and last usable; 0 if never. */
  asked_at: seconds,
  read_at: seconds,
  /** Why the last request failed; empty otherwise. */
  error: z.string(),
})

export type PriceFeed = z.output<typeof priceFeedSchema>

/** Dollars per million tokens. */
const dollarsSchema = z.object({ input: z.number(), output: z.number(), cached: z.number() })

export type Dollars = z.output<typeof dollarsSchema>

const priceChangeSchema = z.object({
  model: z.string(),
  vendor: z.string(),
  kind: z.enum(PRICE_CHANGE_KINDS),
  before: dollarsSchema.nullable(),
  after: dollarsSchema.nullable(),
  /** The largest change of input or output; 0 for new models. */
  percent: z.number(),
  /** What last week's requests would have cost more, in dollars; negative for less. */
  effect: z.number(),
  /** An enabled channel offers the model. */
  offered: z.boolean(),
  /** An own ratio applies, whatever the feed says. */
  own: z.boolean(),
})

export type PriceChange = z.output<typeof priceChangeSchema>

export const PRICE_CHANGES_MAX = 500

const priceChangesSchema = z.object({
  /** Names the list that was compared; `applyPriceChanges` needs it. */
  read_at: seconds,
  /** Number of changes that match, of which at most `PRICE_CHANGES_MAX` are listed. */
  total: z.int(),
  changes: z.array(priceChangeSchema),
  /** Prices of the feed that are not used, at most `PRICE_CHANGES_MAX`. */
  problems: z.array(z.object({ model: z.string(), problem: z.enum(FEED_PROBLEMS) })),
})

export type PriceChanges = z.output<typeof priceChangesSchema>

const unpricedModelSchema = z.object({
  model: z.string(),
  first_at: seconds,
  last_at: seconds,
  /** Requests charged at the default ratio, and rejected requests. */
  charged: z.int(),
  rejected: z.int(),
})

export type UnpricedModel = z.output<typeof unpricedModelSchema>

export const priceEndpoints = {
  ...priceLossEndpoints,
  /** Models without a price that were requested, the latest request first. */
  listUnpricedModels: endpoint('GET', '/api/price/unpriced', 'admin', {
    data: z.array(unpricedModelSchema),
  }),
  listPriceFeeds: endpoint('GET', '/api/price/feed/', 'admin', { data: z.array(priceFeedSchema) }),
  createPriceFeed: endpoint('POST', '/api/price/feed/', 'admin', {
    body: priceFeedDraft,
    data: priceFeedSchema,
  }),
  updatePriceFeed: endpoint('PUT', '/api/price/feed/', 'admin', {
    body: priceFeedEdit,
    data: priceFeedSchema,
  }),
  /** Deletes the feed and the prices that were applied from it. */
  deletePriceFeed: endpoint('DELETE', '/api/price/feed/:id', 'admin', { params: idParams }),
  /** Reads the feed's list now: from its address, or from `content` in its form. */
  pullPriceFeed: endpoint('POST', '/api/price/feed/pull', 'admin', {
    body: z.object({ id, content: z.string().max(900_000).default('') }),
    data: priceFeedSchema,
  }),
  /** What applying the feed would change. */
  listPriceChanges: endpoint('GET', '/api/price/feed/:id/changes', 'admin', {
    params: idParams,
    query: z.object({
      /** Models of enabled channels, or all. */
      scope: z.enum(['offered', 'all']).catch('offered').default('offered'),
      keyword: z.string().trim().max(200).default(''),
    }),
    data: priceChangesSchema,
  }),
  /** Applies the feed's prices of these models, and returns their number. */
  applyPriceChanges: endpoint('POST', '/api/price/feed/apply', 'admin', {
    body: z.object({
      id,
      read_at: seconds,
      models: z
        .array(z.string().min(1).max(200))
        .min(1)
        .max(PRICE_CHANGES_MAX)
        .meta({ examples: [['gpt-6.2-sol']] }),
    }),
    data: z.int(),
  }),
} as const
