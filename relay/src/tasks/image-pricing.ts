import type { RequestProblem } from '../errors/request-problem.ts'
import { words } from '../provider.ts'
import { invalid } from '../wires/openai-chat/check-fields.ts'

/*
 * Models that sell images by the piece, with the limits and factors of the One API family. DALL·E 3
 * counts 1 at 1024 × 1024 and 2 at 1792 × 1024; `hd` doubles squares and multiplies other sizes by
 * 1.5.
 */

type Rule = readonly [
  family: RegExp,
  nMax: number,
  /** Unit: characters. */
  promptMax: number,
  /** Price factor per size; absent if any size is accepted and all count 1. */
  sizes?: Readonly<Record<string, number>>,
]

/** Sizes that all count 1. */
const plain = (sizes: string) => Object.fromEntries(words(sizes).map((size) => [size, 1]))

const RULES: readonly Rule[] = [
  [/^dall-e-2$/, 10, 1000, { '256x256': 1, '512x512': 1.125, '1024x1024': 1.25 }],
  [/^dall-e-3$/, 1, 4000, { '1024x1024': 1, '1792x1024': 2, '1024x1792': 2 }],
  [/^cogview-3$/, 1, 833],
  [/^cogview/, 1, 4000],
  [/^wanx-v1$/, 4, 4000, plain('1024x1024 720x1280 1280x720')],
  [/^ali-stable-diffusion-/, 4, 4000, plain('1024x1024 512x1024 1024x768 576x1024 1024x576')],
  [/^image-01/, 9, 1500],
  [/^step-1x-medium$/, 1, 4000, plain('256x256 512x512 768x768 1024x1024 1280x800 800x1280')],
]

const HAS_HD = /^dall-e-3$/
const DEFAULT_RULE: Rule = [/^/, 10, 32_000]
const DEFAULT_SIZE = '1024x1024'

const ruleOf = (model: string): Rule => RULES.find(([family]) => family.test(model)) ?? DEFAULT_RULE

/** False for unknown models, which may be priced in another way. */
export const isPricedPerImage = (model: string) => ruleOf(model) !== DEFAULT_RULE

/** The parameters that decide the price; empty strings if not given. */
export type ImageTerms = {
  readonly n: number
  readonly size: string
  readonly quality: string
  readonly prompt: string
}

export function checkImageTerms(
  model: string,
  { n, size, prompt }: ImageTerms,
): RequestProblem | null {
  const [, nMax, promptMax, sizes = {}] = ruleOf(model)
  if (!Number.isInteger(n) || n < 1 || n > nMax) {
    const rule = nMax === 1 ? 'must be 1' : `must be an integer from 1 to ${nMax}`
    return { ...invalid('n', `${rule} for this model`), code: 'n_not_within_range' }
  }
  const known = Object.keys(sizes)
  if (size !== '' && known.length > 0 && !known.includes(size)) {
    const rule = `must be one of ${known.join(', ')} for this model`
    return { ...invalid('size', rule), code: 'size_not_supported' }
  }
  if (prompt.length <= promptMax) return null
  // Counting the characters of a huge text takes seconds. A character has at most two UTF-16 units,
  // so the length excludes such texts first.
  if (prompt.length <= 2 * promptMax && Array.from(prompt).length <= promptMax) return null
  const rule = `is too long; this model takes at most ${promptMax} characters`
  return { ...invalid('prompt', rule), code: 'prompt_too_long' }
}

export function imageFactor(model: string, { size, quality }: ImageTerms): number {
  const [, , , sizes = {}] = ruleOf(model)
  const factor = sizes[size || DEFAULT_SIZE] ?? 1
  if (quality !== 'hd' || !HAS_HD.test(model)) return factor
  return factor === 1 ? 2 : factor * 1.5
}
