import { memoize } from '../bytes/memoize.ts'
import { cardOf, type CardLookup } from './card-of.ts'
import type { Vendor } from './model-card.ts'
import { normalizeModelName } from './plain-name.ts'

/** These makers' models read files, which may fill the context window. */
const FILE_READERS: ReadonlySet<Vendor> = new Set(['openai', 'anthropic', 'google'])
/** Smaller windows are no larger than an assumed file. */
const LARGE_WINDOW_TOKENS = 1_000_000

/** Whether a stream of any of the models shows less output than is charged at its end. */
export function usesHiddenReasoning(names: readonly string[], cards: CardLookup = cardOf): boolean {
  return names.some((name) => cards('unknown', name).reasoning.isHidden || mayBeAnyModel(name))
}

/** OpenRouter's alias for any model. */
const mayBeAnyModel = memoize((name) => normalizeModelName(name) === 'auto')

/** The model's output limit, in tokens, for requests that set none; null when unknown. */
export const maxOutputTokens = (model: string, cards: CardLookup = cardOf): number | null =>
  cards('unknown', model).limits.output

/** The context window in tokens; null where it is no larger than an assumed file. */
export function contextWindow(model: string, cards: CardLookup = cardOf): number | null {
  const { vendor, limits } = cards('unknown', model)
  const isLarge = FILE_READERS.has(vendor) && (limits.context ?? 0) >= LARGE_WINDOW_TOKENS
  return isLarge ? limits.context : null
}

/** OpenRouter's suffix for web search, and Groq's systems. Results are part of the prompt. */
const SEARCHING_MODELS = /:online$|^compound/

export const hasBuiltInSearch = memoize((name) => SEARCHING_MODELS.test(normalizeModelName(name)))
