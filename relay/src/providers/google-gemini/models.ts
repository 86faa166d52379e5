/** What a model of Google's can be told. */
export type ModelTraits = {
  /** How much it thinks: by a level, by a number of tokens, or not to be told. */
  readonly thinking: 'level' | 'budget' | 'none'
  /** Any JSON schema, and not only the part of it that OpenAPI knows. */
  readonly takesJsonSchema: boolean
  readonly takesSystem: boolean
  /** Calls of functions have ids, and come back signed or not at all. */
  readonly signsCalls: boolean
}

/** The number of a generation, 205 for 2.5; what has none is the latest, or as old as the first. */
export function generationOf(model: string): number {
  const version = /gemini-(\d+)(?:\.(\d+))?/.exec(model)
  if (version === null) return /^(?:models\/)?gemini-.*latest/.test(model) ? 400 : 0
  return Number(version[1]) * 100 + Number(version[2] ?? 0)
}

/** The fact sheet 04-google-gemini, sections 2, 3 and 6. */
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
