/** OpenAI's `pcm` and `pcm16`: 24 000 samples a second of 16 bits. */
export const PCM_BYTES_PER_SECOND = 48_000

/**
 * OpenAI's estimate for gpt-4o-mini-tts is $0.015 a minute, and a million tokens of audio are $12. Google's audio
 * has 25 tokens a second.
 */
const TOKENS_PER_SECOND = { usual: 1250 / 60, gemini: 25 }

/** The tokens of so much speech that a model has made, where it has not told them. */
export function speechTokens(model: string, seconds: number): number {
  const { usual, gemini } = TOKENS_PER_SECOND
  return Math.ceil(seconds * (/^(?:models\/)?gemini-/.test(model) ? gemini : usual))
}
