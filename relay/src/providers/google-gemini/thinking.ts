import type { JsonRecord } from '../../json-value.ts'
import { generationOf, traitsOf } from './models.ts'

/**
 * Google's own mapping of `reasoning_effort` for Gemini 2.5, from its OpenAI-compatible API (page
 * "OpenAI compatibility"). Higher efforts get the model's maximum.
 */
const BUDGETS: ReadonlyMap<unknown, number> = new Map([
  ['minimal', 1024],
  ['low', 1024],
  ['medium', 8192],
  ['high', 24_576],
])
const BUDGET_MAX = 24_576
const PRO_BUDGET_MAX = 32_768
/** Pro models cannot switch reasoning off. */
const PRO_BUDGET_MIN = 128

/** `thinkingConfig` for an effort; undefined leaves reasoning to the model. */
export function thinkingConfig(effort: unknown, model: string): JsonRecord | undefined {
  const { thinking } = traitsOf(model)
  const isKnown = effort === 'none' || effort === 'xhigh' || BUDGETS.has(effort)
  if (!isKnown || thinking === 'none') return undefined
  const includeThoughts = effort !== 'none'
  return thinking === 'level'
    ? { thinkingLevel: levelOf(effort, model), includeThoughts }
    : { thinkingBudget: budgetOf(effort, model), includeThoughts }
}

function levelOf(effort: unknown, model: string): string {
  switch (effort) {
    case 'none':
    case 'minimal':
      return /flash/.test(model) && generationOf(model) < 307 ? 'minimal' : 'low'
    case 'low':
      return 'low'
    case 'medium':
      // Gemini 3 Pro has two levels only.
      return /gemini-3-pro/.test(model) ? 'high' : 'medium'
    default:
      return 'high'
  }
}

function budgetOf(effort: unknown, model: string): number {
  const isPro = /pro/.test(model)
  if (effort === 'none') return isPro ? PRO_BUDGET_MIN : 0
  return BUDGETS.get(effort) ?? (isPro ? PRO_BUDGET_MAX : BUDGET_MAX)
}
