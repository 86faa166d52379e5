import { normalizeModelName } from './max-output-tokens.ts'
import { memoize } from './memoize.ts'

/**
 * Models with the largest context windows, from the model pages of OpenAI, Anthropic and Google,
 * 2026-08. The first match counts.
 */
const FAMILIES: readonly (readonly [RegExp, number])[] = [
  [/^gpt-4\.1/, 1_047_576],
  [/^gpt-(?:5\.(?:4(?!-mini|-nano)|[5-9]|\d\d)|[6-9])/, 1_050_000],
  // Some Claude 4 models have this window only with a beta header, which clients may send.
  [/^claude-(?:sonnet-4|[a-z]+-4-(?:[6-9]|\d\d)(?!\d)|[a-z]+-(?:[5-9]|\d\d)(?!\d))/, 1_000_000],
  [/^gemini-1\.5-pro/, 2_097_152],
  // Image models and the oldest models have less. The excess of their hold is refunded.
  [/^gemini-/, 1_048_576],
]

/** The context window in tokens; null where it is no larger than an assumed file. */
export function contextWindow(model: string): number | null {
  const name = normalizeModelName(model)
  return FAMILIES.find(([family]) => family.test(name))?.[1] ?? null
}

/** OpenRouter's suffix for web search, and Groq's systems. Results are part of the prompt. */
const SEARCHING_MODELS = /:online$|^compound/

export const hasBuiltInSearch = memoize((name) => SEARCHING_MODELS.test(normalizeModelName(name)))
