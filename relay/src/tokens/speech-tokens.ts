/** OpenAI's `pcm` and `pcm16`: 24 000 samples per second of 16 bits. */
export const PCM_BYTES_PER_SECOND = 48_000

/**
 * OpenAI estimates $0.015 per minute for gpt-4o-mini-tts, and a million audio tokens cost $12.
 * Google's audio has 25 tokens per second.
 */
const TOKENS_PER_SECOND = { usual: 1250 / 60, gemini: 25 }

/** Audio tokens of generated speech, for answers that report none. */
export function speechTokens(model: string, seconds: number): number {
  const { usual, gemini } = TOKENS_PER_SECOND
  return Math.ceil(seconds * (/^(?:models\/)?gemini-/.test(model) ? gemini : usual))
}
