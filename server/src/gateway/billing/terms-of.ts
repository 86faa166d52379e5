import { LRUCache } from 'lru-cache'
import {
  DEFAULT_PRICE,
  findPrice,
  groupRatioOf,
  type PricedOptions,
} from '../../domain/find-price.ts'
import type { Price } from '../../domain/price.ts'
import { flatText } from '../../text/flat-text.ts'
import type { RelayDeps } from '../context.ts'
import { Refusal } from '../errors.ts'
import type { Route } from '../routing/route.ts'
import type { Terms } from './terms.ts'

type PricedModel = { readonly price: Price | null; readonly modelNames: readonly string[] }

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
  const found = { price, modelNames: [...new Set([mapped, requested])] }
  models.set(names, found)
  return found
}

/** Throws a `Refusal` if no channel has a price for the model. */
export function termsOf(
  { settings, unpricedModels }: Pick<RelayDeps, 'settings' | 'unpricedModels'>,
  route: Route,
  requested: string,
): Terms {
  const current = settings.current()
  const options = route.isPinned ? { ...current, RetryTimes: 0 } : current
  const targets = route.targets.flatMap((target) => {
    const { price, modelNames } = pricedModel(requested, target.upstreamModel, current)
    return price === null ? [] : [{ ...target, price, modelNames }]
  })
  const [first] = targets
  if (first === undefined) {
    unpricedModels.count(requested, 'rejected')
    throw new Refusal({
      status: 400,
      code: 'model_price_unset',
      param: 'model',
      message: `No price is set for the model ${requested}. Ask the administrator to set one.`,
    })
  }
  if (first.price.price_version === DEFAULT_PRICE) unpricedModels.count(requested, 'charged')
  return { group: route.group, groupRatio: groupRatioOf(route.group, options), targets, options }
}
