import type { CatalogModel, CatalogPrice, ModelApi } from '@tollgate/contract'
import { readChannelSettings } from '@tollgate/contract/channel-settings'
import { vendors } from '@tollgate/contract/prices'
import {
  type CardLookup,
  cardOf,
  cardsWith,
  isServable,
  modelFacts,
  type ModelFacts,
  pricedPiece,
  usageForUnits,
} from '@tollgate/relay'
import { findPrice, groupRatioOf, type PricedOptions } from '../../domain/find-price.ts'
import { listedPrice } from '../../domain/listed-price.ts'
import { readMapping } from '../../domain/model-mapping.ts'
import { CALL_TOKENS, type Price } from '../../domain/price.ts'
import { listEnabledChannels, listOffers, type ModelHealth } from '../../store/catalog.ts'
import { HISTOGRAM_BOUNDS_MS } from '../../store/hour-tables.ts'
import type { AdminDeps } from '../deps.ts'
import { estimatePercentile } from '../stat/percentile.ts'

type Served = {
  readonly group: string
  readonly model: string
  readonly channels: readonly ServingChannel[]
}

type ServingChannel = { readonly mapping: ReadonlyMap<string, string>; readonly cards: CardLookup }

const P50 = 0.5

/** What the groups can call, by name, at the price of the first group that serves it. */
export async function listCatalog(
  { database: { kysely }, settings }: AdminDeps,
  groups: readonly string[],
  health: ModelHealth,
): Promise<CatalogModel[]> {
  const channels = await servingChannels(kysely)
  const offers = await listOffers(kysely, groups)
  const byModel = Map.groupBy(offers, ({ model }) => model)
  const options = settings.current()
  return [...byModel].flatMap(([model, rows]): CatalogModel[] => {
    const served = groups
      .map((group): Served => {
        const ids = rows.filter((row) => row.group === group).map((row) => row.channel_id)
        return { group, model, channels: ids.flatMap((id) => channels.get(id) ?? []) }
      })
      .find((offer) => offer.channels.length > 0)
    const api = served && apiOf(served)
    if (!api) return []
    return [{ ...describe(served, api, options), ...healthOf(model, health) }]
  })
}

async function servingChannels(kysely: Parameters<typeof listEnabledChannels>[0]) {
  const rows = await listEnabledChannels(kysely)
  return new Map(
    rows
      .filter(({ type }) => isServable(type))
      .map(({ id, model_mapping, config }): [number, ServingChannel] => {
        const { card } = readChannelSettings(config)
        const cards = card === undefined ? cardOf : cardsWith(card)
        return [id, { mapping: readMapping(model_mapping), cards }]
      }),
  )
}

function describe({ group, model, channels }: Served, api: ModelApi, options: PricedOptions) {
  const names = channels.map(({ mapping }) => mapping.get(model) ?? model)
  const [mapped = model] = names
  const [first] = channels
  const facts = modelFacts(model, { mapped, ...(first && { cards: first.cards }) })
  return {
    id: model,
    vendor: vendors.get(model) ?? vendors.get(mapped) ?? '',
    group,
    price: priceOf({ group, model, names }, options),
    api,
    context_tokens: facts.contextTokens,
    output_tokens: api === 'chat' ? facts.outputTokens : null,
    ...modalitiesOf(api, facts),
    shutdown: facts.shutdown,
  }
}

/** Null for models that no endpoint serves. */
function apiOf({ model, channels: [first] }: Served): ModelApi | null {
  const cards = first?.cards ?? cardOf
  const mapped = first?.mapping.get(model) ?? model
  const endpoint = [mapped, model]
    .map((name) => cards('unknown', name).facts.endpoint)
    .find(Boolean)
  if (endpoint === 'none') return null
  // Chats reach models of the Responses API too.
  return !endpoint || endpoint === 'responses' ? 'chat' : endpoint
}

/** Cards describe chats, so the API tells more about the other models. */
function modalitiesOf(api: ModelApi, { inputs, outputs }: ModelFacts) {
  switch (api) {
    case 'images':
      return { inputs: ['text' as const], outputs: ['image' as const] }
    case 'speech':
      return { inputs: ['text' as const], outputs: ['audio' as const] }
    case 'transcriptions':
      return { inputs: ['audio' as const], outputs: ['text' as const] }
    case 'realtime':
      return { inputs: ['audio' as const, 'text' as const], outputs: ['audio' as const] }
    case 'ocr':
      return { inputs: ['pdf' as const, 'image' as const], outputs: ['text' as const] }
    case 'embeddings':
    case 'rerank':
    case 'moderations':
      return { inputs: ['text' as const], outputs: [] }
    case 'completions':
    case 'chat':
      return { inputs: [...inputs], outputs: [...outputs] }
  }
}

type Sold = { group: string; model: string; names: readonly string[] }

function priceOf({ group, model, names }: Sold, options: PricedOptions): CatalogPrice | null {
  const priced = (mapped: string) => findPrice({ requested: model, mapped, options })
  const listed = listedPrice(names, priced)
  if (listed === undefined) return null
  const { price, mapped } = listed
  const perToken = (price.model_ratio * groupRatioOf(group, options)) / options.QuotaPerUnit
  if (price.per_call) return { unit: 'call', each: shown(perToken * CALL_TOKENS) }
  const piece = pricedPiece(model) ?? pricedPiece(mapped)
  // Seconds are rounded up to whole tokens, which a minute is nearly free of.
  if (piece?.unit === 'second') return { unit: 'minute', each: shown(perToken * MINUTE_TOKENS) }
  if (piece !== null) return { unit: piece.unit, each: shown(perToken * piece.tokens) }
  return tokenPrice(price, perToken * TOKENS_PER_PRICE)
}

function tokenPrice(price: Price, perMillion: number): CatalogPrice {
  const times = (ratio: number) => shown(perMillion * ratio)
  return {
    unit: 'token',
    input: times(1),
    output: times(price.completion_ratio),
    cached: price.cache_ratio === 1 ? null : times(price.cache_ratio),
    cache_write: price.cache_write_ratio === 1 ? null : times(price.cache_write_ratio),
    long_prompts: (price.long_prompts ?? []).map(({ above, input, output }) => ({
      above,
      input: times(input),
      output: times(price.completion_ratio * output),
    })),
  }
}

const TOKENS_PER_PRICE = 1e6
const MINUTE_TOKENS = usageForUnits({ unit: 'second', count: 60 }).promptTokens

/** More digits would show rounding errors of floating-point numbers. */
const shown = (dollars: number) => Math.round(dollars * 1e8) / 1e8

function healthOf(model: string, health: ModelHealth) {
  const { requests = 0, failures = 0, firstToken = [] } = health.get(model) ?? {}
  const histogram = { counts: firstToken, bounds: HISTOGRAM_BOUNDS_MS }
  return { requests, failures, first_token: estimatePercentile(histogram, P50) }
}
