import { GPT_IMAGE_1_NAMES } from '../tokens/image-tokens.ts'

/*
 * Output tokens per image of GPT Image. For the first generation OpenAI publishes a table (guide
 * "Image generation", section on cost). For the second generation there is only a calculator, whose
 * rule customers worked out ("GPT-image-2 output pricing calculator", OpenAI developer forum,
 * 2026-06): a grid whose longer side is 16, 48 or 96, times an area. The rule gives the 7024 and
 * 5488 tokens that OpenAI states for 1024 × 1024 and 1536 × 1024.
 */

const GPT_IMAGE_1_TOKENS = {
  low: { '1024x1024': 272, '1024x1536': 408, '1536x1024': 400 },
  medium: { '1024x1024': 1056, '1024x1536': 1584, '1536x1024': 1568 },
  high: { '1024x1024': 4160, '1024x1536': 6240, '1536x1024': 6208 },
} as const

const GPT_IMAGE_2_GRIDS = { low: 16, medium: 48, high: 96 } as const
const PIXELS_MAX = 3840 * 2160
const AREA_BASE = 2_000_000
const AREA_UNIT = 4_000_000

/**
 * Gemini's tokens per image of the default size, for 2.5 and for later generations (Google, "Image
 * generation", 2026-09).
 */
const GEMINI = { second: 1290, later: 1120 } as const
/**
 * Upper bounds for an image, the text with it, and the reasoning before it. 2.5 does not reason.
 */
const GEMINI_OUTPUT_MAX = { second: 4096, later: 8192 } as const

const isGemini = (model: string) => /^(?:models\/)?gemini-[\w.-]*image/.test(model)
const generationOf = (model: string) => (/gemini-2/.test(model) ? 'second' : 'later')

/**
 * Upper bound on Gemini's output tokens for one image. Requests to Gemini set it as their limit.
 */
export const maxGeminiOutputTokens = (model: string) => GEMINI_OUTPUT_MAX[generationOf(model)]

/** Only GPT Image supports OpenAI's image streams. */
export const streamsImages = (model: string) => /^(?:gpt|chatgpt)-image/.test(model)

/**
 * GPT Image of the second generation reads its input again for each image and bills it each time
 * (reported by a customer: "OpenAI must document the input image pricing of gpt-image-2", OpenAI
 * developer forum, 2026-06).
 */
export const readsPromptPerImage = (model: string) =>
  streamsImages(model) && !GPT_IMAGE_1_NAMES.test(model)

/** Models that report tokens and are billed by them. */
export const makesImageTokens = (model: string) => streamsImages(model) || isGemini(model)

export const maxImageOutputTokens = (model: string, request: { size: string; quality: string }) =>
  isGemini(model) ? maxGeminiOutputTokens(model) : imageOutputTokens(model, request)

/**
 * Tokens of an image of this size and quality. An unknown value, such as `auto`, counts as the most
 * expensive.
 */
export function imageOutputTokens(
  model: string,
  { size, quality }: { size: string; quality: string },
): number {
  if (isGemini(model)) return GEMINI[generationOf(model)]
  const level = quality === 'low' || quality === 'medium' ? quality : 'high'
  if (!GPT_IMAGE_1_NAMES.test(model)) return gridTokens(GPT_IMAGE_2_GRIDS[level], size)
  const sizes: Readonly<Record<string, number>> = GPT_IMAGE_1_TOKENS[level]
  return Object.hasOwn(sizes, size) ? (sizes[size] ?? 0) : Math.max(...Object.values(sizes))
}

/** An unknown size counts as a square of the largest area, which has the most tokens. */
function gridTokens(grid: number, size: string): number {
  const [, width = '', height = ''] = /^(\d{2,4})x(\d{2,4})$/.exec(size) ?? []
  const [long, short] = [Number(width), Number(height)].toSorted((one, other) => other - one)
  const isKnown = long !== undefined && short !== undefined && short > 0
  const across = isKnown ? Math.round((grid * short) / long) : grid
  const area = isKnown ? Math.min(long * short, PIXELS_MAX) : PIXELS_MAX
  return Math.ceil((grid * across * (AREA_BASE + area)) / AREA_UNIT)
}
