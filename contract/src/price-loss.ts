import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { ownPriceSchema } from './own-price.ts'
import { id } from './units.ts'

/** Options that decide what customers pay. */
export const PRICE_OPTIONS = [
  'ModelRatio',
  'CompletionRatio',
  'CacheRatio',
  'CacheWriteRatio',
  'AudioRatio',
  'AudioCompletionRatio',
  'ImageRatio',
  'ModelPrice',
  'GroupRatio',
  'DefaultModelRatio',
  'QuotaPerUnit',
] as const

export type PriceOption = (typeof PRICE_OPTIONS)[number]

export const PRICED_PARTS = ['input', 'cached', 'output', 'call'] as const

const priceLossSchema = z.object({
  model: z.string(),
  /** 0 for a channel that is not stored yet. */
  channel: z.int(),
  channel_name: z.string(),
  group: z.string(),
  part: z.enum(PRICED_PARTS),
  /** What the group pays and what the provider charges, in dollars per million tokens or a call. */
  price: z.number(),
  cost: z.number(),
})

export type PriceLoss = z.output<typeof priceLossSchema>

export const PRICE_LOSSES_MAX = 20

const priceProposal = z.object({
  options: z
    .array(z.object({ key: z.enum(PRICE_OPTIONS), value: z.string().max(900_000) }))
    .max(PRICE_OPTIONS.length)
    .default([]),
  /** Prices of the feed's last list that are to be applied. */
  feed: z
    .object({ id, models: z.array(z.string().max(200)).max(10_000) })
    .meta({ examples: [{ id: 1, models: ['gpt-4o'] }] })
    .exactOptional(),
  /** A price of a model in dollars; null removes the own price. */
  model_price: z
    .object({ model: z.string().max(200), price: ownPriceSchema.nullable() })
    .meta({ examples: [{ model: 'gpt-6.2-sol', price: { input: 2, output: 10 } }] })
    .exactOptional(),
  channel: z
    .object({
      id: id.exactOptional(),
      name: z.string().max(100).default(''),
      models: z.string().max(100_000),
      group: z.string().max(1000),
      model_mapping: z.string().max(50_000).default(''),
      config: z.string().max(20_000).default(''),
    })
    .meta({ examples: [{ id: 1, models: 'gpt-4o', group: 'default' }] })
    .exactOptional(),
})

export type PriceProposal = z.output<typeof priceProposal>

export const priceLossEndpoints = {
  /**
   * Which models would be sold below cost after a change of prices, or of a channel, and are not
   * yet. Changes nothing. At most `PRICE_LOSSES_MAX` of the `total` are listed.
   */
  findPriceLosses: endpoint('POST', '/api/price/losses', 'admin', {
    body: priceProposal,
    data: z.object({ total: z.int(), losses: z.array(priceLossSchema) }),
  }),
} as const
