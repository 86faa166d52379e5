import { LRUCache } from 'lru-cache'
import type { ChannelCost } from '@tollgate/contract/channel-settings'
import {
  DEFAULT_PRICE,
  findPrice,
  groupRatioOf,
  type PricedOptions,
} from '../../domain/find-price.ts'
import { costRankOf, lossOf } from '../../domain/margin.ts'
import { regionOfAddress } from '../../domain/price-factors.ts'
import type { Price } from '../../domain/price.ts'
import { type ProviderPrice, providerPriceOf } from '../../domain/provider-cost.ts'
import { flatText } from '../../text/flat-text.ts'
import type { RelayDeps } from '../context.ts'
import { Refusal } from '../errors.ts'
import type { Target } from '../routing/channel-registry.ts'
import type { Route } from '../routing/route.ts'
import { outputWithoutLimit } from './hold-amount.ts'
import type { PricedTarget, Terms } from './terms.ts'

/** What channels with the same settings cost for a model. */
type Costs = {
  readonly provider: ProviderPrice | null
  readonly rank: number
  /** Whether the model is sold below cost, by the ratio of the group. */
  readonly losses: Map<number, boolean>
}

type PricedModel = {
  readonly price: Price | null
  readonly modelNames: readonly string[]
  /** Settings never change: a change replaces them. */
  readonly costs: WeakMap<ChannelCost, Costs>
}

/**
 * Prices by requested and mapped name, per options snapshot. A price lookup reads a dozen tables.
 */
const modelsByOptions = new WeakMap<PricedOptions, LRUCache<string, PricedModel>>()
/** Bounded, because clients choose the names. */
const MODELS_MAX = 2000

export function pricedModel(
  requested: string,
  mapped: string,
  options: PricedOptions,
): PricedModel {
  const models = modelsByOptions.get(options) ?? new LRUCache({ max: MODELS_MAX })
  modelsByOptions.set(options, models)
  const names = flatText(requested.length, ' ', requested, mapped)
  const known = models.get(names)
  if (known !== undefined) return known
  const price = findPrice({ requested, mapped, options })
  const modelNames = [...new Set([mapped, requested])]
  const found = { price, modelNames, costs: new WeakMap<ChannelCost, Costs>() }
  models.set(names, found)
  return found
}

function costsOf({ modelNames, costs }: PricedModel, cost: ChannelCost, options: PricedOptions) {
  const known = costs.get(cost)
  if (known !== undefined) return known
  const provider = providerPriceOf(modelNames, cost, options.prices)
  const found: Costs = { provider, rank: costRankOf(provider), losses: new Map() }
  costs.set(cost, found)
  return found
}

/** False if the cost is unknown. */
function isAtLoss(
  { provider, losses }: Costs,
  { price, groupRatio, options }: { price: Price; groupRatio: number; options: PricedOptions },
): boolean {
  if (provider === null) return false
  const known = losses.get(groupRatio)
  if (known !== undefined) return known
  const found = lossOf({ price, groupRatio, quotaPerUnit: options.QuotaPerUnit }, provider) !== null
  losses.set(groupRatio, found)
  return found
}

/** The terms of usual routes, which stay the same until channels or settings change. */
const termsOfRoutes = new WeakMap<readonly Target[], Terms>()

/** Throws a `Refusal` if no channel has a price for the model, or all would sell it at a loss. */
export function termsOf(
  deps: Pick<RelayDeps, 'settings' | 'unpricedModels'>,
  route: Route,
  requested: string,
): Terms {
  const known = route.isUsual ? termsOfRoutes.get(route.targets) : undefined
  const isCurrent = known?.options === deps.settings.current()
  const terms = isCurrent ? known : pricedTerms(deps, route, requested)
  if (route.isUsual && !isCurrent) termsOfRoutes.set(route.targets, terms)
  const isDefault = terms.targets[0]?.price.price_version === DEFAULT_PRICE
  if (isDefault) deps.unpricedModels.count(requested, 'charged')
  return terms
}

function pricedTerms(
  { settings, unpricedModels }: Pick<RelayDeps, 'settings' | 'unpricedModels'>,
  route: Route,
  requested: string,
): Terms {
  const current = settings.current()
  const options = route.isPinned ? { ...current, RetryTimes: 0 } : current
  const groupRatio = groupRatioOf(route.group, options)
  let hasPrice = false
  const targets = route.targets.flatMap((target: Target): PricedTarget[] => {
    const model = pricedModel(requested, target.upstreamModel, current)
    const { price, modelNames } = model
    if (price === null) return []
    hasPrice = true
    const costs = costsOf(model, target.channel.overrides.cost, current)
    const { provider, rank } = costs
    const sale = { price, groupRatio, options: current }
    if (current.NeverSellAtLoss && isAtLoss(costs, sale)) return []
    const region = price.regions && regionOfAddress(target.channel.baseUrl)
    const regional = region === undefined ? price : { ...price, region }
    const { channel, upstreamModel } = target
    const outputTokensMax = outputWithoutLimit({ upstreamModel, modelNames, channel }, current)
    const ignoresLimit = channel.descriptor.ignoresOutputLimit === true
    const writer = { price: regional, outputTokensMax, ignoresLimit }
    const priced = { ...target, ...writer, modelNames, provider }
    return [current.CheapestChannelFirst ? { ...priced, costRank: rank } : priced]
  })
  const [first] = targets
  if (first === undefined && hasPrice) throw onlyAtLoss(requested)
  if (first === undefined) {
    unpricedModels.count(requested, 'rejected')
    throw new Refusal({
      status: 400,
      code: 'model_price_unset',
      param: 'model',
      message: `No price is set for the model ${requested}. Ask the administrator to set one.`,
    })
  }
  return { group: route.group, groupRatio, targets, options }
}

/** Callers do not learn what a channel costs. */
const onlyAtLoss = (model: string) =>
  new Refusal({
    status: 503,
    code: 'no_channel_at_price',
    param: 'model',
    message: `No channel serves the model ${model} at its current price. Ask the administrator.`,
  })
