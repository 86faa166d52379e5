import { EFFORTS } from '@tollgate/contract/channel-settings'
import type { Effort, ModelCard } from './model-card.ts'

export const isEffort = (value: unknown): value is Effort =>
  EFFORTS.some((effort) => effort === value)

/** Reasoning budgets below these are low and medium effort; our own mapping. */
const LOW_BUDGET_BELOW = 4096
const MEDIUM_BUDGET_BELOW = 16_384

export function effortOfBudget(budget: number): Effort {
  if (budget < LOW_BUDGET_BELOW) return 'low'
  return budget < MEDIUM_BUDGET_BELOW ? 'medium' : 'high'
}

/**
 * The accepted effort for a given one: the next stronger one, as vendors map theirs, else the
 * strongest. An effort never becomes `none`, and `none` becomes the weakest where the model always
 * reasons. Null if no effort is accepted, and for names that no vendor has.
 */
export function nearestEffort(given: unknown, { reasoning }: ModelCard): Effort | null {
  const { efforts, canBeOff } = reasoning
  if (!isEffort(given)) return null
  const isPossible = given !== 'none' || canBeOff
  if (isPossible && (efforts === null || efforts.includes(given))) return given
  if (efforts === null) return null
  const amounts = efforts.filter((effort) => effort !== 'none')
  const strength = EFFORTS.indexOf(given)
  const stronger = amounts.find((effort) => EFFORTS.indexOf(effort) > strength)
  return stronger ?? amounts.at(-1) ?? null
}
