export type ModelTraits = {
  /** How the amount of reasoning is set: by level, by token budget, or not at all. */
  readonly thinking: 'level' | 'budget' | 'none'
  /** Accepts any JSON schema, not only the part that OpenAPI supports. */
  readonly takesJsonSchema: boolean
  readonly takesSystem: boolean
  /** Function calls have ids, and must be signed when they are sent back. */
  readonly signsCalls: boolean
}

/**
 * The generation as a number, 205 for 2.5. A name without a number is the latest (400) if it says
 * so, else the oldest (0).
 */
export function generationOf(model: string): number {
  const version = /gemini-(\d+)(?:\.(\d+))?/.exec(model)
  if (version === null) return /^(?:models\/)?gemini-.*latest/.test(model) ? 400 : 0
  return Number(version[1]) * 100 + Number(version[2] ?? 0)
}

/** By Google's model pages (https://ai.google.dev/gemini-api/docs/models). */
export function traitsOf(model: string): ModelTraits {
  const generation = generationOf(model)
  const isForMedia = /-(?:image|tts)\b/.test(model)
  const thinks = generation >= 205 && !isForMedia
  return {
    thinking: !thinks ? 'none' : generation >= 300 ? 'level' : 'budget',
    takesJsonSchema: generation >= 205,
    takesSystem: generation >= 105,
    signsCalls: generation >= 300,
  }
}
