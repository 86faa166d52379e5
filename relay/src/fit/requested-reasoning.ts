import { type JsonRecord, member, textOf } from '../bytes/json-value.ts'
import { effortOfBudget } from '../cards/nearest-effort.ts'

export type RequestedReasoning = {
  /** A value of `reasoning_effort`; undefined leaves reasoning to the model. */
  readonly effort: string | undefined
  /** Tokens; null where the request names none. */
  readonly budget: number | null
}

/** Removes what clients of other vendors send in place of `reasoning_effort`. */
export const FOREIGN_REASONING = {
  thinking: undefined,
  reasoning: undefined,
  enable_thinking: undefined,
  thinking_budget: undefined,
}

/**
 * Reads `reasoning_effort`, and the members for it that clients know from Anthropic (`thinking`),
 * OpenRouter (`reasoning`) and Alibaba (`enable_thinking` and `thinking_budget`). Reasoning that is
 * switched off stays off.
 */
export function requestedReasoning(settings: JsonRecord): RequestedReasoning {
  const { reasoning_effort, thinking, reasoning, enable_thinking: isOn, thinking_budget } = settings
  const type = member(thinking, 'type')
  const isEnabled = isOn ?? member(reasoning, 'enabled')
  if (type === 'disabled' || isEnabled === false) return { effort: 'none', budget: null }
  const effort = textOf(reasoning_effort) || textOf(member(reasoning, 'effort'))
  if (effort !== '') return { effort, budget: null }
  const given =
    member(thinking, 'budget_tokens') ?? member(reasoning, 'max_tokens') ?? thinking_budget
  const budget = typeof given === 'number' && given > 0 ? Math.floor(given) : null
  if (budget !== null) return { effort: effortOfBudget(budget), budget }
  const isOpen = type === 'enabled' || type === 'adaptive' || isEnabled === true
  return { effort: isOpen ? 'medium' : undefined, budget: null }
}
