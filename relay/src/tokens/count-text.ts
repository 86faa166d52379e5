import { OPTIONS } from '@tollgate/contract'
import { type Steps, finish } from '../bytes/steps.ts'
import type { CountOptions } from '../relay-request.ts'
import {
  TOKENS_PER_BYTE,
  reportEncodingLoadFailure,
  type EncodingName,
  countTextsInProcess,
  tokenizerOf,
  isDeepseek,
} from './token-encodings.ts'

/** For models of other providers than OpenAI the count is an estimate, rounded up. */
export async function countText(
  model: string,
  text: string,
  options: CountOptions = {},
): Promise<number> {
  const [count = 0] = await countTexts(model, [text], options)
  return count
}

/**
 * The texts share the limit of exactly counted bytes. Text is estimated when its encoding cannot be
 * loaded or fails, since the answer was delivered and must be charged.
 */
export async function countTexts(
  model: string,
  texts: readonly string[],
  options: CountOptions,
): Promise<number[]> {
  const {
    exactBytesMax = EXACT_BYTES_MAX,
    estimator: estimateBeyond = estimate,
    run = finish,
  } = options
  const estimated = (text: string, estimator = estimateBeyond) => {
    if (text !== '') options.onEstimate?.()
    return estimator(text)
  }
  if (exactBytesMax <= 0) return texts.map((text) => estimated(text, estimate))
  if (isDeepseek(model)) return run(deepseekTokens(texts))
  const { encoding, factor } = tokenizerOf(model)
  const fits = await run(mapInSteps(texts, fitsIn(exactBytesMax)))
  const exact = texts.filter((_text, at) => fits[at])
  const counts = (await countExactly(encoding, exact, options))?.values()
  const tokensOf = (text: string, at: number) => {
    const tokens = fits[at] === true ? counts?.next().value : undefined
    if (tokens === undefined) return estimated(text)
    // Text with more than 1.5 bytes per character is mostly Chinese, Japanese or Korean.
    return Math.ceil(tokens * (byteLength(text) > 1.5 * text.length ? factor.cjk : factor.latin))
  }
  return run(mapInSteps(texts, tokensOf))
}

function* mapInSteps<Item, Result>(
  items: readonly Item[],
  map: (item: Item, at: number) => Result,
): Steps<Result[]> {
  const results: Result[] = []
  for (const [at, item] of items.entries()) {
    results.push(map(item, at))
    if (at % TEXTS_PER_STEP === TEXTS_PER_STEP - 1) yield
  }
  return results
}

/** At worst (Chinese without any punctuation) this much takes about 0.1 s of CPU to count. */
const EXACT_BYTES_MAX = OPTIONS.ExactTokenBytes.default
/** Null if the encoding cannot be used. */
async function countExactly(
  encoding: EncodingName,
  texts: readonly string[],
  { countTexts: count = countTextsInProcess }: CountOptions,
): Promise<readonly number[] | null> {
  try {
    return await count(encoding, texts)
  } catch (error) {
    reportEncodingLoadFailure(encoding, error)
    return null
  }
}

function fitsIn(limit: number): (text: string) => boolean {
  let left = limit
  return (text) => {
    const bytes = byteLength(text)
    if (bytes > left) return false
    left -= bytes
    return true
  }
}

function estimate(text: string): number {
  return Math.floor(byteLength(text) * TOKENS_PER_BYTE)
}

function* deepseekTokens(texts: readonly string[]): Steps<number[]> {
  const counts: number[] = []
  for (const text of texts) counts.push(yield* deepseekTokensOf(text))
  return counts
}

/** Texts per step: a prompt may have tens of thousands. */
const TEXTS_PER_STEP = 256

function* deepseekTokensOf(text: string): Steps<number> {
  let wideCharacters = 0
  for (let at = 0; at < text.length; at += 1) {
    if (text.charCodeAt(at) > LATIN_LAST) wideCharacters += 1
    if (at % DEEPSEEK_SLICE === DEEPSEEK_SLICE - 1) yield
  }
  return Math.ceil((text.length - wideCharacters) * 0.3 + wideCharacters * 0.6)
}

export const byteLength = (text: string) => Buffer.byteLength(text)

/** Characters read in one step, about 1 ms. */
const DEEPSEEK_SLICE = 256 * 1024

const LATIN_LAST = 0x2ff
