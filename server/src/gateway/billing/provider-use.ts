import type { AttemptRecord, Served } from '@tollgate/contract'
import type { Usage } from '@tollgate/relay'
import { regionOfAddress } from '../../domain/price-factors.ts'
import { addCost, providerCostOf, type ProviderPrice } from '../../domain/provider-cost.ts'
import type { PricedTarget } from './terms.ts'

/** `reportedCost` is what the provider says that the answer cost, in nano-dollars. */
type ProviderUse = {
  readonly usage: Usage
  readonly reportedCost?: number | undefined
  readonly served: Served | undefined
}

/** Records what the provider of an attempt is believed to bill. */
export function recordUse(
  record: AttemptRecord,
  target: Pick<PricedTarget, 'channel' | 'provider' | 'price'>,
  { usage, reportedCost = usage.reportedCost, served }: ProviderUse,
) {
  const { channel, provider, price } = target
  const { promptTokens, cachedTokens, cacheWriteTokens, completionTokens } = usage
  record.prompt_tokens = promptTokens
  if (cachedTokens > 0) record.cached_tokens = cachedTokens
  if (cacheWriteTokens > 0) record.cache_write_tokens = cacheWriteTokens
  record.completion_tokens = completionTokens
  if (reportedCost !== undefined && channel.overrides.cost.reported === true) {
    record.cost = addCost(0, reportedCost)
    record.cost_source = 'reported'
  } else if (provider !== null) {
    const region = regionOf(provider, channel.baseUrl)
    record.cost = providerCostOf(usage, provider, { served, region, asked: price.asked })
    record.cost_source = provider.source
  }
}

const regionOf = ({ features }: ProviderPrice, address: string) =>
  features.regions && regionOfAddress(address)

/** How a provider serves whose answer was not seen: as the request asks. */
export const requestedServiceOf = ({
  price: { asked },
}: Pick<PricedTarget, 'price'>): Served | undefined =>
  asked === undefined ? undefined : { ...asked, toolCalls: [] }

/** The cost of all attempts; null if the cost of any tokens is unknown. */
export function costOfAttempts(attempts: readonly AttemptRecord[]): number | null {
  let sum = 0
  for (const { cost = 0, cost_source = '', prompt_tokens = 0, completion_tokens = 0 } of attempts) {
    if (cost_source === '' && prompt_tokens + completion_tokens > 0) return null
    sum = addCost(sum, cost)
  }
  return sum
}
