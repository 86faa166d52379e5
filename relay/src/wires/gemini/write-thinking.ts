import { clamp, type JsonRecord } from '../../bytes/json-value.ts'
import type { ModelCard } from '../../cards/model-card.ts'
import { nearestEffort } from '../../cards/nearest-effort.ts'
import type { RequestedReasoning } from '../../fit/requested-reasoning.ts'

/**
 * Google's own mapping of `reasoning_effort` for Gemini 2.5, from its OpenAI-compatible API (page
 * "OpenAI compatibility"). Higher efforts get the model's maximum.
 */
const BUDGETS: ReadonlyMap<unknown, number> = new Map([
  ['none', 0],
  ['minimal', 1024],
  ['low', 1024],
  ['medium', 8192],
  ['high', 24_576],
  ['xhigh', Infinity],
  ['max', Infinity],
])
/** Flash-Lite refuses smaller budgets (page "Gemini thinking"). */
const BUDGET_MIN = 512
const BUDGET_MAX = 24_576
const PRO_BUDGET_MAX = 32_768
/** Pro models cannot switch reasoning off. */
const PRO_BUDGET_MIN = 128

/** `thinkingConfig` for an effort or a budget; undefined leaves reasoning to the model. */
export function thinkingConfig(
  { effort, budget }: RequestedReasoning,
  card: ModelCard,
): JsonRecord | undefined {
  const { how, canBeOff } = card.reasoning
  const isKnown = BUDGETS.has(effort)
  if (!isKnown || how === 'none') return undefined
  const includeThoughts = effort !== 'none'
  return how === 'level'
    ? { thinkingLevel: nearestEffort(effort, card), includeThoughts }
    : {
        thinkingBudget: acceptedBudget(budget ?? BUDGETS.get(effort) ?? 0, !canBeOff),
        includeThoughts,
      }
}

function acceptedBudget(budget: number, isPro: boolean) {
  if (isPro) return clamp(budget, PRO_BUDGET_MIN, PRO_BUDGET_MAX)
  return budget === 0 ? 0 : clamp(budget, BUDGET_MIN, BUDGET_MAX)
}
