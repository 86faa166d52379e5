import { type Measured, NO_USAGE, type Usage } from '../usage/usage.ts'

/*
 * Tokens per unit, at the model's ratio. These are the conventions of the One API family, so that
 * its ratio tables mean the same here: DALL·E 2 at ratio 8 is $0.016 an image, Whisper at 15 is
 * $0.006 a minute, tts-1 at 7.5 is $15 per million characters, a search or a page at ratio 1 is
 * $0.002.
 */
const TOKENS_PER_UNIT = {
  image: 1000,
  second: 200 / 60,
  character: 1,
  search: 1000,
  page: 1000,
  call: 1000,
} as const satisfies Record<Measured['unit'], number>

/**
 * `factor` is for pieces that count more than once, such as larger images. Rounds up to whole
 * tokens.
 */
export const tokensForUnits = ({ unit, count }: Measured, factor = 1): number =>
  // Rounded to a millionth first, because 1.1 × 1000 exceeds 1100 in floating point.
  Math.ceil(Math.round(TOKENS_PER_UNIT[unit] * count * factor * 1e6) / 1e6)

/** `count` must be a whole number. */
export const usageForUnits = (measured: Measured, factor = 1): Usage => ({
  ...NO_USAGE,
  promptTokens: tokensForUnits(measured, factor),
  measured,
})
