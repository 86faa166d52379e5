import type { AttemptRecord } from '@tollgate/contract'
import type { Usage } from '@tollgate/relay'
import { addCost, providerCostOf } from '../../domain/provider-cost.ts'
import type { PricedTarget } from './terms.ts'

/** `reportedCost` is what the provider says that the answer cost, in nano-dollars. */
type ProviderUse = { readonly usage: Usage; readonly reportedCost?: number | undefined }

/** Records what the provider of an attempt is believed to bill. */
export function recordUse(
  record: AttemptRecord,
  { channel, provider }: Pick<PricedTarget, 'channel' | 'provider'>,
  { usage, reportedCost = usage.reportedCost }: ProviderUse,
) {
  const { promptTokens, cachedTokens, completionTokens } = usage
  record.prompt_tokens = promptTokens
  if (cachedTokens > 0) record.cached_tokens = cachedTokens
  record.completion_tokens = completionTokens
  if (reportedCost !== undefined && channel.overrides.cost.reported === true) {
    record.cost = addCost(0, reportedCost)
    record.cost_source = 'reported'
  } else if (provider !== null) {
    record.cost = providerCostOf(usage, provider)
    record.cost_source = provider.source
  }
}

/** The cost of all attempts; null if the cost of any tokens is unknown. */
export function costOfAttempts(attempts: readonly AttemptRecord[]): number | null {
  let sum = 0
  for (const { cost = 0, cost_source = '', prompt_tokens = 0, completion_tokens = 0 } of attempts) {
    if (cost_source === '' && prompt_tokens + completion_tokens > 0) return null
    sum = addCost(sum, cost)
  }
  return sum
}
