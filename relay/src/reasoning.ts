import { isPresent, isRecord, type JsonRecord, member } from './bytes/json-value.ts'
import { memoize } from './bytes/memoize.ts'
import { cardOf, type CardLookup } from './cards/card-of.ts'
import { usesHiddenReasoning } from './cards/model-facts.ts'
import { normalizeModelName } from './cards/plain-name.ts'
import type { RelayRequest } from './relay-request.ts'

export type ReasoningRequest = Pick<RelayRequest, 'outline' | 'native' | 'thinkingBudget'>

/** Claude before version 5 reasons only on request. */
function reasonsOnRequest(model: string, cards: CardLookup): boolean {
  const { vendor, reasoning } = cards('unknown', model)
  return vendor === 'anthropic' && reasoning.how !== 'none' && !reasoning.isDefault
}

const reasonsAlways = (model: string, cards: CardLookup) =>
  !cards('unknown', model).reasoning.canBeOff

/**
 * Models that do not reason, by their makers' lists of 2026-11. A name that mentions reasoning is a
 * separate model, which resellers sell next to the original.
 */
const NEVER = new RegExp(
  [
    /^(?:chat)?gpt-(?:3|4)/,
    /^(?:text-|code-)?(?:davinci|curie|babbage|ada)\b/,
    /^claude-(?:v?[12]\b|instant|3-[05]|3-(?:opus|sonnet|haiku))/,
    /^gemini-(?:1\.|2\.0|pro(?:-vision)?$)/,
    /^(?:text|chat)-bison/,
    /^moonshot-v1/,
    /^(?:abab|minimax-text)/,
    /^(?:chat)?glm-(?:3|4(?![.\d]))/,
    /^qwen(?:1\.5|2)/,
    /^(?:open-)?mi(?:x|s)tral-(?:\d+x)?\d+b/,
    /^llama-?[23]/,
    /^(?:yi-|baichuan[2-4])/,
    /^ernie-(?:bot|3|4\.0|speed|lite|tiny)/,
  ]
    .map(({ source }) => source)
    .join('|'),
)
const NAMED_REASONING = /think|reason|-r1\b|nemotron|-(?:low|medium|high)$/

const reasonsNever = memoize((name) => {
  const plain = normalizeModelName(name)
  return NEVER.test(plain) && !NAMED_REASONING.test(plain)
})

/**
 * Whether the model with this provider-side name may reason, visibly or not. Unknown names may.
 * With a null request, the answer covers every request.
 */
export function mayReason(
  request: ReasoningRequest | null,
  model: string,
  cards: CardLookup = cardOf,
): boolean {
  if (reasonsNever(model)) return false
  if (request === null || !reasonsOnRequest(model, cards) || NAMED_REASONING.test(model))
    return true
  return requestsReasoning(request) === true
}

/**
 * Alibaba: "max_tokens does not limit the length of the chain-of-thought"; at most 81 920 tokens
 * (Model Studio, 2026-03).
 */
const ALI_REASONING_MAX = 81_920
const ALI_TYPE = 17
/**
 * Other models whose `max_tokens` limits only the answer, with their upper bound on reasoning
 * tokens. ByteDance (Volcengine Ark, Chat API, 2026): `max_tokens` excludes the chain of thought,
 * `max_completion_tokens` includes it. DeepSeek (API guide of R1, 2025-01, as others still host
 * it): "the CoT output can reach up to 32K tokens".
 */
const REASONING_OUTSIDE_LIMIT: readonly (readonly [RegExp, number])[] = [
  [/^(?:qwen|qwq|qvq)/, ALI_REASONING_MAX],
  [/^doubao/, 131_072],
  [/^deepseek-(?:reasoner|r1)/, 32_768],
]

/** Reasoning tokens outside the client's output limit; 0 where the limit covers reasoning. */
export function reasoningOutsideLimit(
  { outline }: Pick<RelayRequest, 'outline'>,
  { model, type }: { model: string; type: number },
): number {
  const name = normalizeModelName(model)
  const known = REASONING_OUTSIDE_LIMIT.find(([family]) => family.test(name))?.[1] ?? 0
  const max = type === ALI_TYPE ? Math.max(known, ALI_REASONING_MAX) : known
  const budget = outline['thinking_budget']
  return typeof budget === 'number' && budget > 0 ? Math.min(budget, max) : max
}

/**
 * Whether a stream of any of these models may show less output than is charged at its end. With a
 * null request, the answer covers every request.
 */
export function mayUseHiddenReasoning(
  request: ReasoningRequest | null,
  names: readonly string[],
  cards: CardLookup = cardOf,
): boolean {
  const isRequested = request === null || requestsReasoning(request)
  return names.some((name) => {
    if (!usesHiddenReasoning([name], cards)) return false
    if (reasonsAlways(name, cards)) return true
    return isRequested ?? !reasonsOnRequest(name, cards)
  })
}

/** Null where the request leaves the choice to the model. */
function requestsReasoning({
  outline,
  native,
  thinkingBudget = 0,
}: ReasoningRequest): boolean | null {
  const requested = reasoningSetting(outline)
  if (requested !== null) return requested
  // A request without an OpenAI form may ask for reasoning in members that were not read.
  const isUntranslated = (native?.obstacle ?? null) !== null
  return thinkingBudget > 0 || isUntranslated ? true : null
}

/** Where members contradict each other, vendors differ in which one they obey. */
function reasoningSetting({
  reasoning_effort: effort,
  thinking,
  reasoning,
  enable_thinking: isOn,
  thinking_budget: budget,
}: JsonRecord): boolean | null {
  if (isPresent(effort)) return effort !== 'none'
  if (typeof isOn === 'boolean') return isOn
  if (isRecord(thinking)) return thinking['type'] !== 'disabled'
  if (isRecord(reasoning)) return member(reasoning, 'effort') !== 'none'
  // Where this budget is known, the output limit does not cover it.
  return typeof budget === 'number' && budget > 0 ? true : null
}
