/** First match wins. These are One API's built-in ratios for models that no table names. */
const FAMILIES: readonly [RegExp, number][] = [
  [/^gpt-3\.5-turbo$|^gpt-3\.5.*-0125$/, 3],
  [/^gpt-3\.5.*-1106$/, 2],
  [/^gpt-3\.5/, 4 / 3],
  [/^chatgpt-4o-latest$/, 3],
  [/^gpt-4o-2024-05-13$/, 3],
  [/^gpt-4o/, 4],
  [/^gpt-4-turbo|^gpt-4.*preview$/, 3],
  [/^gpt-4/, 2],
  [/^o[134](-|$)/, 4],
  [/^claude-3/, 5],
  [/^claude-/, 3],
  [/^mistral-/, 3],
  [/^gemini-/, 3],
  [/^deepseek-reasoner$/, 2.19 / 0.55],
  [/^deepseek-/, 2],
  [/^llama2-70b-4096$/, 1.25],
  [/^llama3-8b-8192$/, 2],
  [/^llama3-70b-8192$/, 0.79 / 0.59],
  [/^command-r-plus$/, 5],
  [/^command-r$/, 3],
  [/^command(-light)?(-nightly)?$/, 2],
  [/^grok-beta$/, 3],
  [/^whisper-1$/, 0],
]

/** Price of output relative to input, by the model's name alone; 1 if unknown. */
export function familyCompletionRatio(model: string): number {
  return FAMILIES.find(([pattern]) => pattern.test(model))?.[1] ?? 1
}
