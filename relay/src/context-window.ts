import { plainName } from './max-output-tokens.ts'

/** The model pages of OpenAI, Anthropic and Google, 2026-08: those that read more than any others. First match counts. */
const FAMILIES: readonly (readonly [RegExp, number])[] = [
  [/^gpt-4\.1/, 1_047_576],
  [/^gpt-(?:5\.(?:4(?!-mini|-nano)|[5-9]|\d\d)|[6-9])/, 1_050_000],
  // Some of the fourth only where a header asks for it, which clients may send.
  [/^claude-(?:sonnet-4|[a-z]+-4-(?:[6-9]|\d\d)(?!\d)|[a-z]+-(?:[5-9]|\d\d)(?!\d))/, 1_000_000],
  [/^gemini-1\.5-pro/, 2_097_152],
  // Those that draw, and the oldest, read less: then too much is held, which nobody pays.
  [/^gemini-/, 1_048_576],
]

/** What a model can read at most with all files; null where that is no more than one file is taken for. */
export function contextWindow(model: string): number | null {
  const name = plainName(model)
  return FAMILIES.find(([family]) => family.test(name))?.[1] ?? null
}
