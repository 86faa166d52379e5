import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { milliseconds } from './units.ts'

/** What a model is called through. `chat` stands for every API that chats. */
export const MODEL_APIS = [
  'chat',
  'completions',
  'embeddings',
  'rerank',
  'ocr',
  'moderations',
  'images',
  'speech',
  'transcriptions',
  'realtime',
] as const

export type ModelApi = (typeof MODEL_APIS)[number]

const dollars = z.number().min(0)

/** Prices above a number of prompt tokens; they apply to the whole request. */
const longPromptSchema = z.object({ above: z.int(), input: dollars, output: dollars })

const tokenPriceSchema = z.object({
  unit: z.literal('token'),
  /** Per million tokens, like the other prices. */
  input: dollars,
  output: dollars,
  /** Null where the provider's cache saves nothing. */
  cached: dollars.nullable(),
  /** Null where writing to the cache costs as much as other input. */
  cache_write: dollars.nullable(),
  long_prompts: z.array(longPromptSchema),
})

const piecePriceSchema = z.object({
  unit: z.enum(['call', 'image', 'search', 'page', 'minute', 'character']),
  /** What one piece costs; an image has the default size and quality. */
  each: dollars,
})

const modality = z.enum(['text', 'image', 'audio', 'video', 'pdf'])

const catalogModelSchema = z.object({
  id: z.string(),
  /** The maker; empty if unknown. */
  vendor: z.string(),
  /** The group that serves the model. Its ratio is part of the price. */
  group: z.string(),
  /** In dollars; null without a price. */
  price: z.discriminatedUnion('unit', [tokenPriceSchema, piecePriceSchema]).nullable(),
  api: z.enum(MODEL_APIS),
  /** Null if unknown, like the output limit. */
  context_tokens: z.int().nullable(),
  output_tokens: z.int().nullable(),
  /** Empty if unknown, like the outputs. */
  inputs: z.array(modality),
  outputs: z.array(modality),
  /** Requests of all users in the last 24 hours, and those that failed. */
  requests: z.int(),
  failures: z.int(),
  /** Median; null without samples. */
  first_token: milliseconds.nullable(),
  /** The first day on which the vendor no longer serves the model; null if none is announced. */
  shutdown: z.string().nullable(),
})

export type CatalogModel = z.output<typeof catalogModelSchema>
export type CatalogPrice = NonNullable<CatalogModel['price']>

export const catalogEndpoints = {
  /** Models that a group of the caller can call, by name. */
  listCatalog: endpoint('GET', '/api/catalog', 'user', { data: z.array(catalogModelSchema) }),
  /** Models of the default group; none unless `PublicCatalogEnabled` is on. */
  listPublicCatalog: endpoint('GET', '/api/catalog/public', 'public', {
    data: z.array(catalogModelSchema),
  }),
} as const
