import type { ImageSize } from '../media/image-size.ts'

/** How model families convert pixels to tokens, by the providers' documentation unless noted. */
type Rule =
  | { readonly by: 'tile'; readonly base: number; readonly perTile: number }
  | {
      readonly by: 'patch'
      readonly factor: number
      readonly patchesMax: number
      readonly originalPatchesMax: number
    }
  | { readonly by: 'claude'; readonly edgeMax: number; readonly tokensMax: number }
  | { readonly by: 'gemini' }
  | { readonly by: 'fixed'; readonly tokens: number }
  | { readonly by: 'gpt-image-1' }
  | { readonly by: 'gpt-image-2' }

function patch(factor: number, patchesMax = 1536, originalPatchesMax = patchesMax): Rule {
  return { by: 'patch', factor, patchesMax, originalPatchesMax }
}

export const GPT_IMAGE_1_NAMES = /^(?:gpt-image-1|chatgpt-image)/
/** OpenAI, guide "Images and vision", 2026-09. A customer measured that pixels are rounded down. */
const GPT_IMAGE_1 = {
  base: 65,
  perTile: 129,
  highFidelity: { square: 4160, other: 6240 },
} as const
/**
 * Undocumented by OpenAI. A customer measured it with 100 requests ("OpenAI must document the input
 * image pricing of gpt-image-2", OpenAI developer forum, 2026-06). This code reads the result for
 * aspects above 3:1 as padding to 3:1.
 */
const GPT_IMAGE_2 = { patchesMax: 1536, growMax: 2, longerMin: 1024, aspectMax: 3 } as const

const RULES: readonly (readonly [RegExp, Rule])[] = [
  [/^gpt-4o-mini/, { by: 'tile', base: 2833, perTile: 5667 }],
  [/^gpt-4\.1-mini/, patch(1.62)],
  [/^gpt-4\.1-nano/, patch(2.46)],
  [/^o4-mini/, patch(1.72)],
  [/^gpt-5(?:\.4)?-mini/, patch(1.62)],
  [/^gpt-5(?:\.4)?-nano/, patch(2.46)],
  [/^(?:gpt-5\.\d|gpt-[6-9]|gpt-(?!35)\d\d)/, patch(1.2, 2500, 10_000)],
  [GPT_IMAGE_1_NAMES, { by: 'gpt-image-1' }],
  [/^gpt-image/, { by: 'gpt-image-2' }],
  [/^gpt-5/, { by: 'tile', base: 70, perTile: 140 }],
  [/^o[13]/, { by: 'tile', base: 75, perTile: 150 }],
  [/^computer-use-preview/, { by: 'tile', base: 65, perTile: 129 }],
  [
    /^claude-(?:[23]|(?:opus|sonnet|haiku)-4(?:$|-[0-6]$|-[0-6]-|-\d{8}))/,
    { by: 'claude', edgeMax: 1568, tokensMax: 1568 },
  ],
  [/^claude-/, { by: 'claude', edgeMax: 2576, tokensMax: 4784 }],
  [/^gemini-[12]/, { by: 'gemini' }],
  [/^gemini-/, { by: 'fixed', tokens: 1120 }],
]

const DEFAULT_RULE: Rule = { by: 'tile', base: 85, perTile: 170 }
/** Assumed when the image cannot be inspected. */
const DEFAULT_SIZE: ImageSize = { width: 1024, height: 1024 }

/** `detail` is the request's own value; for GPT Image it is the fidelity. */
export function imageTokens(model: string, size: ImageSize | null, detail = ''): number {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  const rule = RULES.find(([pattern]) => pattern.test(name))?.[1] ?? DEFAULT_RULE
  const { width, height } = size ?? DEFAULT_SIZE
  switch (rule.by) {
    case 'tile':
      return rule.base + (detail === 'low' ? 0 : rule.perTile * tileCount(width, height, 768))
    case 'patch': {
      const max = detail === 'original' ? rule.originalPatchesMax : rule.patchesMax
      return Math.ceil(patchCount(width, height, max) * rule.factor)
    }
    case 'claude':
      return claudeTokens(width, height, rule)
    case 'gemini':
      return width <= 384 && height <= 384 ? 258 : 258 * cells(width, height, 768)
    case 'fixed':
      return rule.tokens
    case 'gpt-image-1':
      return gptImage1Tokens(width, height, detail)
    case 'gpt-image-2':
      return gptImage2Tokens(width, height)
  }
}

/** Fits the image into 2048 × 2048, then its shorter side to `shorter` (768 or 512). */
function tileCount(width: number, height: number, shorter: number, round = Math.round): number {
  const fit = Math.min(1, 2048 / Math.max(width, height))
  const shrink = Math.min(1, shorter / (Math.min(width, height) * fit))
  return cells(round(width * fit * shrink), round(height * fit * shrink), 512)
}

function gptImage1Tokens(width: number, height: number, fidelity: string): number {
  const { base, perTile, highFidelity } = GPT_IMAGE_1
  const tokens = base + perTile * tileCount(width, height, 512, Math.floor)
  if (fidelity !== 'high') return tokens
  // OpenAI does not say which images count as square. This test takes an image as square when its
  // aspect is nearer to 1:1 than to 3:2, the next shape OpenAI generates.
  const isSquare = Math.max(width, height) < 1.25 * Math.min(width, height)
  return tokens + (isSquare ? highFidelity.square : highFidelity.other)
}

/** Small images are enlarged first, and images longer than 3:1 are padded to 3:1. */
function gptImage2Tokens(width: number, height: number): number {
  const { patchesMax, growMax, longerMin, aspectMax } = GPT_IMAGE_2
  const longer = Math.max(width, height)
  const grow = Math.min(growMax, Math.max(1, longerMin / longer))
  const shorterMin = (longer * grow) / aspectMax
  return patchCount(
    Math.max(width * grow, shorterMin),
    Math.max(height * grow, shorterMin),
    patchesMax,
  )
}

function patchCount(width: number, height: number, max: number): number {
  const patches = cells(width, height, 32)
  if (patches <= max) return patches
  const scale = Math.sqrt((32 * 32 * max) / (width * height))
  const across = (width * scale) / 32
  const down = (height * scale) / 32
  const whole = Math.min(Math.floor(across) / across, Math.floor(down) / down)
  return Math.min(cells(width * scale * whole, height * scale * whole, 32), max)
}

/** The longer edge is scaled to its limit first, then the image until it has few enough tokens. */
function claudeTokens(
  width: number,
  height: number,
  { edgeMax, tokensMax }: { readonly edgeMax: number; readonly tokensMax: number },
): number {
  const edge = Math.min(1, edgeMax / Math.max(width, height))
  let across = Math.round(width * edge)
  let down = Math.round(height * edge)
  let tokens = cells(across, down, 28)
  while (tokens > tokensMax) {
    const shrink = Math.sqrt(tokensMax / tokens) * 0.999
    across = Math.floor(across * shrink)
    down = Math.floor(down * shrink)
    tokens = cells(across, down, 28)
  }
  return tokens
}

/** Squares that cover the area. The tolerance keeps rounding errors from adding a square. */
function cells(width: number, height: number, side: number): number {
  const across = Math.max(1, Math.ceil(width / side - 1e-9))
  const down = Math.max(1, Math.ceil(height / side - 1e-9))
  return across * down
}
