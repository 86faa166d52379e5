import type { ToolCalls } from '@tollgate/contract'
import { type BilledFeature, type RelayRequest, SEARCH_ANSWER } from '@tollgate/relay'
import { hasFactors } from '../../domain/price-factors.ts'
import type { Asked, Price } from '../../domain/price.ts'
import { badRequest } from '../errors.ts'
import { sharesDialect } from '../routing/route.ts'
import type { PricedTarget, Terms } from './terms.ts'

/** Calls of a tool that a hold covers, if the request limits them to no fewer. */
const CALLS_HELD = 10

type Features = readonly BilledFeature[]

const NO_FEATURES: Features = []

/** Throws a refusal if the request asks for a feature that cannot have a price. */
export function refuseUnpriceable({ billed = NO_FEATURES }: RelayRequest) {
  const first = billed.find(({ tier, region, tool }) => (tier ?? region ?? tool) === undefined)
  if (first !== undefined) throw unpriced(first)
}

const unpriced = ({ member }: BilledFeature) =>
  badRequest({
    type: 'invalid_request_error',
    message:
      `The provider bills '${member}' in addition to tokens, and it has no price here. ` +
      'Leave it out, or ask the administrator to allow it.',
    param: member,
    code: 'unpriced_feature',
  })

/**
 * The terms of a request with what its features cost. Leaves out targets without a price for them,
 * and throws a refusal if none is left.
 */
export function termsWithFeatures(terms: Terms, request: RelayRequest): Terms {
  const { billed = NO_FEATURES } = request
  const isPlain = billed.length === 0 && terms.targets.every(({ price }) => !searchesAlways(price))
  if (isPlain) return terms
  const priced = terms.targets.filter((target) => pricesAll(target, request))
  const isAllowed = terms.options.UnpricedFeaturesEnabled
  if (priced.length === 0 && !isAllowed) {
    const isMissing = (feature: BilledFeature) =>
      !terms.targets.some((target) => isPriced(target, feature, request))
    throw unpriced(billed.find(isMissing) ?? billed[0] ?? { member: '' })
  }
  const targets = isAllowed ? terms.targets : priced
  return { ...terms, targets: targets.map((target) => asking(target, billed)) }
}

/** Whether every target has a price for the features of the request. */
export const areFeaturesPriced = ({ targets }: Terms, request: RelayRequest) =>
  targets.every((target) => pricesAll(target, request))

const pricesAll = (target: PricedTarget, request: RelayRequest) =>
  (request.billed ?? NO_FEATURES).every((feature) => isPriced(target, feature, request))

/** A provider's own tool is lost on the way to a provider of another API. */
function isPriced(
  { price, channel, upstreamModel }: PricedTarget,
  { tier, region, tool }: BilledFeature,
  request: RelayRequest,
): boolean {
  if (tier !== undefined) return hasFactors(price, { tier })
  if (region !== undefined) return hasFactors(price, { region })
  if (tool === undefined || pricedNames(price, tool).length === 0) return false
  return tool.startsWith(SEARCH_ANSWER) || sharesDialect(request, channel, upstreamModel)
}

/** A tool is priced by the call, or by the prompt that uses it. */
const pricedNames = ({ tools = {} }: Price, tool: string): string[] =>
  [tool, `${tool}_prompt`].filter((name) => Object.hasOwn(tools, name))

const searchesAlways = ({ tools }: Price) =>
  tools !== undefined && Object.hasOwn(tools, SEARCH_ANSWER)

function asking(target: PricedTarget, billed: Features): PricedTarget {
  const { price } = target
  const tier = billed.find((feature) => feature.tier !== undefined)?.tier
  const region = billed.find((feature) => feature.region !== undefined)?.region
  const toolCalls = callsOf(price, billed)
  const asked: Asked = {
    ...(tier === undefined ? {} : { tier }),
    ...(region === undefined ? {} : { region }),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
  }
  return { ...target, price: { ...price, asked } }
}

function callsOf(price: Price, billed: Features): ToolCalls[] {
  const calls = billed.flatMap(({ tool, callsMax = CALLS_HELD }) =>
    tool === undefined
      ? []
      : pricedNames(price, tool).map((name) => ({
          tool: name,
          calls: name === tool ? Math.min(callsMax, CALLS_HELD) : 1,
        })),
  )
  const searches = calls.some(({ tool }) => tool.startsWith(SEARCH_ANSWER))
  return searchesAlways(price) && !searches ? [...calls, { tool: SEARCH_ANSWER, calls: 1 }] : calls
}
