import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { rule } from './problem.ts'
import { hasDecimals } from './units.ts'

const modelName = z.string().trim().min(1).max(200)

/** Dollars per million tokens. */
const dollars = z.number().min(0).max(10_000)

/** Dollars of a call. */
const callDollars = z.number().min(0).max(1000)

const day = z
  .string()
  .refine(
    (text) => z.iso.date().safeParse(text).success,
    rule('must be a day such as 2027-01-01', '必须是日期，例如 2027-01-01'),
  )
  .meta({ examples: ['2027-01-01'] })

/** Parts that are left out cost what the price list says in relation to input. */
const tokenPrices = {
  input: dollars,
  output: dollars,
  cached: dollars.exactOptional(),
  cache_write: dollars.exactOptional(),
  audio_input: dollars.exactOptional(),
  audio_output: dollars.exactOptional(),
  image_input: dollars.exactOptional(),
}

export const PRICE_PARTS = [
  'input',
  'output',
  'cached',
  'cache_write',
  'audio_input',
  'audio_output',
  'image_input',
] as const

export type PricePart = (typeof PRICE_PARTS)[number]

const hasInput = ({ input, ...others }: { readonly input: number }) =>
  input > 0 || Object.values(others).every((price) => price === 0)

const inputNeeded = rule(
  'must be above 0 if another part has a price',
  '其他部分有价格时，输入价格必须大于 0',
)

/** Either by tokens or by the call. */
export const ownPriceSchema = z.union([
  z.object(tokenPrices).refine(hasInput, { ...inputNeeded, path: ['input'] }),
  z.object({ per_call: callDollars }),
])

export type OwnPrice = z.output<typeof ownPriceSchema>

/** A ratio at the usual 500 000 units of quota per dollar has one more. */
const PRICE_DECIMALS = 8

export const isExactPrice = (price: number) => hasDecimals(price, PRICE_DECIMALS)

/** A price that somebody sets. */
const exactPriceSchema = ownPriceSchema.refine(
  (price) => Object.values(price).every(isExactPrice),
  rule(
    `must have prices with at most ${PRICE_DECIMALS} decimals`,
    `价格最多 ${PRICE_DECIMALS} 位小数`,
  ),
)

const PRICE_LAYERS = ['own', 'feed', 'built_in'] as const

const modelPriceSchema = z.object({
  model: z.string(),
  /** Empty for a model of no built-in row. */
  vendor: z.string(),
  layer: z.enum(PRICE_LAYERS),
  /** As receipts name it: a date, or a feed with its day. */
  version: z.string(),
  price: ownPriceSchema,
  /** What the price list says, which applies again without own prices; null if it has no row. */
  list: ownPriceSchema.nullable(),
  /** Own prices that begin later, the next first. */
  planned: z.array(z.object({ from: day, price: ownPriceSchema })),
})

export type ModelPriceRow = z.output<typeof modelPriceSchema>

export const MODEL_PRICES_MAX = 200

export const modelPriceEndpoints = {
  /** The prices in use in dollars. Their number, and at most `MODEL_PRICES_MAX` of them. */
  listModelPrices: endpoint('GET', '/api/price/model', 'admin', {
    query: z.object({
      /** Models of enabled channels, models with prices of your own, or all. */
      scope: z.enum(['offered', 'own', 'all']).catch('offered').default('offered'),
      keyword: z.string().trim().max(200).default(''),
    }),
    data: z.object({
      total: z.int(),
      rows: z.array(modelPriceSchema),
      /** Models that an enabled channel serves without a price; for `offered` alone. */
      unpriced_total: z.int(),
      unpriced: z.array(z.string()),
    }),
  }),
  /** Sets a price of your own, at once or from a day on (00:00 UTC). */
  setModelPrice: endpoint('PUT', '/api/price/model', 'admin', {
    body: z.object({
      model: modelName.meta({ examples: ['gpt-6.2-sol'] }),
      price: exactPriceSchema.meta({ examples: [{ input: 2, output: 10, cached: 0.1 }] }),
      from: day.exactOptional(),
    }),
  }),
  /** Removes prices of your own, also those of later days. The price list applies again. */
  resetModelPrice: endpoint('POST', '/api/price/model/reset', 'admin', {
    body: z.object({ model: modelName.meta({ examples: ['gpt-6.2-sol'] }) }),
  }),
} as const
