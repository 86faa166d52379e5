import { isRecord, type JsonRecord, member } from '../bytes/json-value.ts'

/** A larger report is a mistake. */
const DOLLARS_MAX = 1_000_000
const NANO = 1e9
/** xAI's unit (ENTERPILOT/GoModel#297). */
const TICKS_PER_DOLLAR = 1e10

/**
 * What a provider says that an answer costs, in nano-dollars; undefined if it does not say.
 *
 * | Member of the usage | Sent by |
 * |---|---|
 * | `cost`, in dollars | OpenRouter, and gateways in its form |
 * | `cost` with `is_byok`, plus `cost_details.upstream_inference_cost` | OpenRouter, own keys |
 * | `cost.total_cost` | Perplexity |
 * | `cost_in_usd_ticks` | xAI |
 * | `cost_usd_total` | LLM Gateway |
 */
export function reportedCostOf(usage: JsonRecord): number | undefined {
  const { cost, cost_in_usd_ticks: ticks, cost_usd_total: total, is_byok } = usage
  if (cost === undefined && ticks === undefined && total === undefined) return undefined
  const ticked = typeof ticks === 'number' ? ticks / TICKS_PER_DOLLAR : undefined
  const main = ticked ?? total ?? (isRecord(cost) ? cost['total_cost'] : cost)
  const inference =
    is_byok === true ? member(usage['cost_details'], 'upstream_inference_cost') : undefined
  const nano = nanoDollars(main)
  return nano === undefined ? undefined : nano + (nanoDollars(inference) ?? 0)
}

/** Headers with a cost in dollars (docs.litellm.ai/docs/proxy/response_headers). */
const HEADERS = ['x-litellm-response-cost', 'x-tollgate-cost'] as const

export function reportedCostIn(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): number | undefined {
  for (const name of HEADERS) {
    const value = headers[name]
    const nano = typeof value === 'string' && value !== '' ? nanoDollars(Number(value)) : undefined
    if (nano !== undefined) return nano
  }
  return undefined
}

function nanoDollars(dollars: unknown): number | undefined {
  const isCost = typeof dollars === 'number' && dollars >= 0 && dollars <= DOLLARS_MAX
  return isCost ? Math.round(dollars * NANO) : undefined
}
