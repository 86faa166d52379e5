import { isRecord, type JsonRecord, member, textOf } from '../../bytes/json-value.ts'
import type { RequestedReasoning } from '../../fit/requested-reasoning.ts'
import type { Seal } from '../../form/events.ts'
import { type Position, positionMember } from '../../form/position.ts'
import { isClaude, isForeignSignature } from './foreign-signature.ts'
import type { ModelTraits } from './model-traits.ts'

export type ThinkingSettings = {
  /** Undefined leaves reasoning to the model. */
  readonly thinking?: JsonRecord
  readonly effort?: string
  /** The model reasons, or may reason, because the request asks for it. */
  readonly isEnabled: boolean
}

const DEFAULT_THINKING: ThinkingSettings = { isEnabled: false }
const OFF: ThinkingSettings = { thinking: { type: 'disabled' }, isEnabled: false }
/** Without `display` the newest models send empty reasoning. */
const ADAPTIVE = { type: 'adaptive', display: 'summarized' }

/** Shares of the output limit (03-anthropic, section 7). */
const BUDGET_SHARES: ReadonlyMap<string | undefined, number> = new Map([
  ['minimal', 0.02],
  ['low', 0.1],
  ['medium', 0.3],
  ['high', 0.6],
  ['xhigh', 0.9],
  ['max', 0.9],
])
const BUDGET_MIN = 1024

/**
 * Settings for a `reasoning_effort`. A reasoning budget is part of `maxTokens`, as reasoning is
 * part of OpenAI's limit, so the client's limit holds. `mustCall`: a tool call is forced, which
 * excludes reasoning if the model can switch it off. `isMidway`: tools were called after reasoning
 * that the request no longer contains, which models with a budget reject.
 */
export function thinkingSettings(
  { effort, budget: given }: RequestedReasoning,
  traits: ModelTraits,
  request: { maxTokens: number; mustCall: boolean; isMidway: boolean },
): ThinkingSettings {
  const isKnown = effort === 'none' || BUDGET_SHARES.has(effort)
  switch (traits.thinking) {
    case 'none':
      return DEFAULT_THINKING
    case 'always':
      if (!isKnown) return DEFAULT_THINKING
      if (effort === 'none') return { effort: 'low', isEnabled: false }
      return { thinking: ADAPTIVE, effort: effortFor(effort, traits), isEnabled: true }
    case 'adaptive':
      if (request.mustCall || effort === 'none') return OFF
      if (!isKnown) return DEFAULT_THINKING
      return { thinking: ADAPTIVE, effort: effortFor(effort, traits), isEnabled: true }
    case 'budget': {
      const share = BUDGET_SHARES.get(effort)
      if (share === undefined || request.mustCall || request.isMidway) return DEFAULT_THINKING
      const isPossible = given !== null && given < request.maxTokens
      const tokens = isPossible ? given : Math.floor(share * request.maxTokens)
      const budget = Math.max(BUDGET_MIN, tokens)
      if (budget >= request.maxTokens) return DEFAULT_THINKING
      return { thinking: { type: 'enabled', budget_tokens: budget }, isEnabled: true }
    }
  }
}

function effortFor(effort: string | undefined, { knowsXhigh }: ModelTraits): string {
  if (effort === 'xhigh') return knowsXhigh ? 'xhigh' : 'max'
  return effort === 'medium' || effort === 'high' || effort === 'max' ? effort : 'low'
}

/**
 * What clients get in `thinking_blocks` of the assistant's message and send back with it: the
 * provider's own block, of type `thinking` or `redacted_thinking`, the model that made it, and its
 * place.
 */
export const storedThinking = (block: JsonRecord, model: string, after: Position): JsonRecord => ({
  ...block,
  model: familyOf(model),
  ...positionMember(after),
})

/** None for an unsigned block and for a block of another model, which the provider rejects. */
export function ownThinking({ kind, value }: Seal, model: string): JsonRecord[] {
  const block = kind === 'thinking_block' ? thinkingBlockOf(value) : null
  const owner = member(value, 'model') ?? familyOf(model)
  const isForeign = isClaude(model) && isForeignSignature(textOf(block?.['signature'] ?? 'own'))
  return block === null || isForeign || owner !== familyOf(model) ? [] : [block]
}

/** The provider's block without the added members; null if the provider would reject it. */
export function thinkingBlockOf(value: unknown): JsonRecord | null {
  if (!isRecord(value)) return null
  const { type, thinking, signature, data } = value
  if (type === 'thinking' && typeof thinking === 'string' && isText(signature)) {
    return { type, thinking, signature }
  }
  return type === 'redacted_thinking' && isText(data) ? { type, data } : null
}

/** The same model may be named with and without a date. */
const familyOf = (model: string) => model.replace(/-(?:\d{8}|latest)$/, '')

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
